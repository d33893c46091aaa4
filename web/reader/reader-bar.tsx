import { useState } from "preact/hooks"
import type { PageSummary } from "../../lib/documents/page-details.ts"
import { Choice } from "./choice.tsx"
import { useReaderRoom } from "./reader-room.ts"
import { turnPage } from "./use-page-keys.ts"

/** What stays in sight while a document is read: where one is, and what of it is shown. */
export function ReaderBar({ pages }: { readonly pages: readonly PageSummary[] }) {
  const room = useReaderRoom()
  const { language, view } = room.place.value
  return (
    <div class="reader-bar-parts">
      {pages.length > 0 && <Turning pages={pages} />}
      {room.isBilingual.value && (
        <Choice
          name="lang"
          label="Language"
          value={language}
          options={[
            ["original", "Original"],
            ["both", "Both"],
            ["translation", "Translation"],
          ]}
          choose={(language) => room.choose({ language })}
        />
      )}
      {pages.length > 0 && (
        <div class="only-narrow">
          <Choice
            name="view"
            label="Show"
            value={view}
            options={[
              ["text", "Text"],
              ["picture", "Picture"],
            ]}
            choose={(view) => room.choose({ view })}
          />
        </div>
      )}
    </div>
  )
}

function Turning({ pages }: { readonly pages: readonly PageSummary[] }) {
  const room = useReaderRoom()
  const page = room.page.value
  const first = pages[0]?.number
  const last = pages.at(-1)?.number
  return (
    <nav class="turning" aria-label="Pages">
      <button
        type="button"
        class="button turning-step"
        aria-label="Previous page"
        aria-keyshortcuts="ArrowLeft"
        title="Previous page (←)"
        disabled={page === first}
        onClick={() => turnPage(room, pages, -1)}
      >
        ‹
      </button>
      <GoToPage pages={pages} page={page} />
      <button
        type="button"
        class="button turning-step"
        aria-label="Next page"
        aria-keyshortcuts="ArrowRight"
        title="Next page (→)"
        disabled={page === last}
        onClick={() => turnPage(room, pages, 1)}
      >
        ›
      </button>
    </nav>
  )
}

function GoToPage({ pages, page }: { readonly pages: readonly PageSummary[]; readonly page: number }) {
  const room = useReaderRoom()
  const [typed, setTyped] = useState<string | null>(null)
  const [wrong, setWrong] = useState("")
  const go = (event: Event) => {
    event.preventDefault()
    const number = Number(typed ?? page)
    if (!pages.some((page) => page.number === number)) {
      setWrong(`There is no such page: they go from ${pages[0]?.number} to ${pages.at(-1)?.number}`)
      return
    }
    setTyped(null)
    setWrong("")
    if (number !== page) room.go({ page: number, chunkId: null })
  }
  return (
    <form class="turning-to" onSubmit={go}>
      <label>
        <span class="turning-word">Page</span>
        <input
          class="turning-number"
          inputMode="numeric"
          value={typed ?? String(page)}
          onInput={(event) => setTyped(event.currentTarget.value)}
          onFocus={(event) => event.currentTarget.select()}
          onBlur={() => {
            setTyped(null)
            setWrong("")
          }}
          aria-label="Go to page"
          aria-invalid={wrong !== ""}
          aria-describedby="turning-wrong"
          autocomplete="off"
        />
      </label>
      <span>of {pages.length}</span>
      <span id="turning-wrong" class="turning-wrong" role="status">
        {wrong}
      </span>
    </form>
  )
}
