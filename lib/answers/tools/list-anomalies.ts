import * as z from "zod"
import { AnnotationKind } from "../../documents/annotations.ts"
import { type Anomalies, type AnomalyEntry, AnomalyPage } from "../../documents/anomalies.ts"
import type { SearchHit } from "../../search/response.ts"
import { DocumentId, StorableText } from "../../shapes.ts"
import { showPassages } from "./show-passages.ts"
import type { Tool } from "./tool.ts"

const LIMIT_MAX = 50
const LIMIT = 20
const CURSOR_CHARS_MAX = 4_000

export const ListAnomaliesInput = z.strictObject({
  document_id: DocumentId.optional().describe("Of this document alone"),
  kind: AnnotationKind.optional().describe("Of this kind alone: `date-conflict`"),
  limit: z.int().min(1).max(LIMIT_MAX).default(LIMIT).describe("Anomalies to return"),
  cursor: StorableText.max(CURSOR_CHARS_MAX).optional().describe("`next_cursor` of the list before"),
})

/** What was noted as odd: dates that conflict, names in two spellings, missing parts. */
export function createListAnomalies(anomalies: Anomalies): Tool<typeof ListAnomaliesInput, typeof AnomalyPage> {
  return {
    name: "list_anomalies",
    description:
      "Lists what was noted as odd about passages (dates that conflict, contradictions, missing parts), by document.",
    input: ListAnomaliesInput,
    output: AnomalyPage,
    run: (tenant, { document_id: document, kind, limit, cursor }) =>
      anomalies.list(tenant, {
        limit,
        ...(document !== undefined && { document }),
        ...(kind !== undefined && { kind }),
        ...(cursor !== undefined && { cursor }),
      }),
    show: ({ anomalies: entries, next_cursor }, { tenant, charsMax }) =>
      showPassages(byPassage(tenant, entries), charsMax, next_cursor === undefined ? {} : { next_cursor }),
  }
}

/** One passage for all that was noted of a chunk; its content is the notes, for that is what the model reads. */
function byPassage(tenant: string, entries: readonly AnomalyEntry[]): SearchHit[] {
  const passages = new Map<string, SearchHit>()
  for (const { document_id, title, chunk_id, page, kind, note, citation } of entries) {
    const before = passages.get(citation)
    passages.set(citation, {
      id: document_id,
      source_account_id: tenant,
      title,
      content: `${before ? `${before.content}\n` : ""}${kind}: ${note}`,
      rrf_score: 0,
      score: 0,
      chunk_id,
      citation,
      language: "",
      metadata: {},
      ...(page !== undefined && { page }),
    })
  }
  return [...passages.values()]
}
