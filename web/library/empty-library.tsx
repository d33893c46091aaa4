import { Empty } from "../parts/states.tsx"

const COMMAND = "CONCORDANCE_HOME=.concordance-samples npm start"

/** Nothing is here yet: what to do about it. */
export function EmptyLibrary() {
  return (
    <Empty title="The shelves are empty">
      <p>
        Add the first document above, or drop it anywhere on this page. Once it is read, it can be searched and cited.
      </p>
      <p>
        Only looking round? Started on a new folder, the server loads some forty sample documents of an invented harbour
        town by itself:
      </p>
      <p class="empty-command">
        <code>{COMMAND}</code>
      </p>
    </Empty>
  )
}
