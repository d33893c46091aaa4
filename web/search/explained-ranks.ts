import type { ExplainedStage, SearchHit } from "../../lib/search/response.ts"

/** What one stage of a search says of a hit. */
export interface ExplainedRank {
  readonly stage: "dense" | "lexical" | "fuse" | "rerank"
  /** From 1; null: it isn't in the stage's list. */
  readonly place: number | null
  /** Length of the list; 0: the stage found nothing, or wasn't asked. */
  readonly of: number
  /** Null where the stage gave it none. */
  readonly score: number | null
  /** The score as a share of the best one, 0 to 1. */
  readonly share: number
}

const SHOWN = ["dense", "lexical", "fuse", "rerank"] as const

/** Where a hit stood in each list that made the order. A list that fusion alone sees still scores it: `similarity`, `text_rank`. */
export function explainedRanks(hit: SearchHit, stages: readonly ExplainedStage[]): readonly ExplainedRank[] {
  return SHOWN.flatMap((stage) => {
    const list = stages.find((each) => each.stage === stage)?.hits
    if (!list) return []
    const index = list.findIndex(({ id, chunk_id }) => id === hit.id && chunk_id === hit.chunk_id)
    const score = list[index]?.score ?? ownScore(hit, stage) ?? null
    const best = list[0]?.score ?? 0
    const share = score === null || best <= 0 ? 0 : Math.min(1, Math.max(0, score / best))
    return [{ stage, place: index < 0 ? null : index + 1, of: list.length, score, share }]
  })
}

function ownScore(hit: SearchHit, stage: ExplainedRank["stage"]): number | undefined {
  return stage === "dense" ? hit.similarity : stage === "lexical" ? hit.text_rank : undefined
}
