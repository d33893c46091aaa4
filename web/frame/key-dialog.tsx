import { useState } from "preact/hooks"
import { apiKey, keysGiven, keyWanted, tenant } from "../api/session.ts"
import { useDialog } from "../parts/use-dialog.ts"

const WHY = {
  missing: "This server asks for an API key before it shows its documents.",
  refused: "The server doesn't take this key: it is unknown, expired or revoked.",
  asked: "The key that this tab uses.",
} as const

/** Asks for the API key, once a session. */
export function KeyDialog() {
  const wanted = keyWanted.value
  const dialog = useDialog(wanted !== null)
  return (
    <dialog ref={dialog} class="dialog" aria-labelledby="key-title" onClose={() => (keyWanted.value = null)}>
      {wanted !== null && <KeyForm why={WHY[wanted]} />}
    </dialog>
  )
}

function KeyForm({ why }: { readonly why: string }) {
  const [key, setKey] = useState(apiKey.peek())
  const [whose, setWhose] = useState(tenant.peek())
  const give = (event: Event) => {
    event.preventDefault()
    apiKey.value = key.trim()
    tenant.value = whose.trim()
    keysGiven.value += 1
    keyWanted.value = null
  }
  return (
    <form onSubmit={give}>
      <h2 id="key-title">API key</h2>
      <p>{why} It stays in this tab until you close it.</p>
      <label class="field">
        <span>Key</span>
        <input
          type="password"
          value={key}
          onInput={(event) => setKey(event.currentTarget.value)}
          autocomplete="off"
          spellcheck={false}
          placeholder="cc_…"
          pattern="[!-~\s]*"
          title="Letters, digits and signs of ASCII, as a key has them"
        />
      </label>
      <label class="field">
        <span>
          Tenant <small>only where the key has several</small>
        </span>
        <input
          value={whose}
          onInput={(event) => setWhose(event.currentTarget.value)}
          maxLength={128}
          autocomplete="off"
          spellcheck={false}
        />
      </label>
      <div class="dialog-actions">
        <button type="button" class="button-quiet" onClick={() => (keyWanted.value = null)}>
          Cancel
        </button>
        <button type="submit" class="button button-primary">
          Use it
        </button>
      </div>
    </form>
  )
}
