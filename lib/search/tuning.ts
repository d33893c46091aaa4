/** What was learnt of a tenant from judged questions (`concordance tune`). Null: not learnt, the default holds. */
export interface Tuning {
  /** `weighted`: share of meaning, 0–1, where a request names none. */
  readonly alpha: number | null
  /** Name of the reranker that `rerankShare` is of. */
  readonly reranker: string | null
  /** Share of that reranker in the blend, 0–1; 0 leaves it out. */
  readonly rerankShare: number | null
}

export const UNTUNED: Tuning = { alpha: null, reranker: null, rerankShare: null }

/** `weighted`: share of meaning where neither the request nor the tenant has one. */
export const DEFAULT_ALPHA = 0.5
