import { CitationChip } from "../parts/citation-chip.tsx"
import { SaveButton } from "../parts/save-button.tsx"
import type { PassageProps } from "./passage.tsx"
import { useReaderRoom } from "./reader-room.ts"

/** What can be done with a passage: its citation, pictures and tables; of one that isn't selected, its table alone. */
export function PassageTools({ chunk, page, isSelected }: PassageProps & { readonly isSelected: boolean }) {
  const room = useReaderRoom()
  const { id, crop_url, table_url, enriched_by } = chunk
  if (!isSelected && table_url === undefined) return null
  const at = page === undefined ? "" : `-p${String(page.number).padStart(3, "0")}`
  const hasSheet = page !== undefined && (chunk.regions?.length ?? 0) > 0
  return (
    <div class="passage-tools">
      {isSelected && <CitationChip citation={chunk.citation} />}
      {isSelected && hasSheet && (
        <button type="button" class="button-quiet only-narrow" onClick={() => room.choose({ view: "picture" })}>
          See it on the page
        </button>
      )}
      {isSelected && crop_url !== undefined && (
        <SaveButton path={crop_url} name={`${room.documentId}${at}-${id}`} of={`of passage ${id}`}>
          Save cut-out
        </SaveButton>
      )}
      {table_url !== undefined && (
        <SaveButton
          path={table_url}
          name={`${room.documentId}-table-${tableNumber(table_url)}`}
          of={`of passage ${id}, whole`}
        >
          Save table (CSV)
        </SaveButton>
      )}
      {isSelected && enriched_by !== undefined && (
        <small>Translation, flags and names are by a language model ({enriched_by}).</small>
      )}
    </div>
  )
}

/** `2` of `…/tables/2.csv`. */
function tableNumber(path: string): string {
  return /(\d+)\.csv/.exec(path)?.[1] ?? "1"
}
