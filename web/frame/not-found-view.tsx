import { Empty } from "../parts/states.tsx"
import { useTitle } from "../parts/use-title.ts"

/** What an address that means nothing here shows. */
export function NotFoundView() {
  useTitle("No such page")
  return (
    <>
      <h1 class="visually-hidden">No such page</h1>
      <Empty title="There is no such page">
        <p>
          <a href="/">Search the collection</a>, or <a href="/library">see what it holds</a>.
        </p>
      </Empty>
    </>
  )
}
