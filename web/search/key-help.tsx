import { useDialog } from "../parts/use-dialog.ts"
import { singleKeys } from "./single-keys.ts"

const KEYS = [
  [["/"], "to the box"],
  [["Esc"], "out of the box"],
  [["j", "↓"], "next result"],
  [["k", "↑"], "the one before"],
  [["Enter"], "open it on its page"],
  [["w"], "why it ranked"],
  [["t"], "its other language"],
  [["c"], "copy its citation"],
  [["?"], "this list"],
] as const

/** What the keys do, and a way to turn single letters off. */
export function KeyHelp({ isOpen, close }: { readonly isOpen: boolean; readonly close: () => void }) {
  const dialog = useDialog(isOpen)
  return (
    <dialog ref={dialog} class="dialog key-help" aria-labelledby="key-help-title" onClose={close}>
      <h2 id="key-help-title">By keyboard</h2>
      <dl>
        {KEYS.map(([keys, does]) => (
          <div key={does}>
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <p>
        <small>Letters and arrows work while a result has the focus: press ↓ in the box to go there.</small>
      </p>
      <label class="filter-check">
        <input
          type="checkbox"
          checked={singleKeys.value}
          onChange={(event) => (singleKeys.value = event.currentTarget.checked)}
        />
        Single keys are shortcuts
      </label>
      <div class="dialog-actions">
        <button type="button" class="button" onClick={close}>
          Close
        </button>
      </div>
    </dialog>
  )
}
