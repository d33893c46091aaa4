import type { OwnerDatabase, Row } from "../../database/database.ts"

/** What a tenant is tuned to. */
export interface TenantTuning {
  readonly tenant: string
  /** Model of the searches that the shares are for. */
  readonly embeddingModel: string
  /** Null: the default's. */
  readonly alpha: number | null
  readonly reranker: string | null
  readonly rerankShare: number | null
  /** Figures that it rests on: questions, gains. No words of anybody. */
  readonly evidence: Readonly<Record<string, unknown>>
  /** ISO 8601. */
  readonly appliedAt: string
}

const READ = `
  select source_account_id as tenant, embedding_model as "embeddingModel", alpha, reranker, rerank_share as "rerankShare",
         evidence::text as evidence, to_char(applied_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as "appliedAt"
    from concordance.search_tunings where $1::text is null or source_account_id = $1
   order by source_account_id collate "C"`

const APPLY = `
  insert into concordance.search_tunings as t
         (source_account_id, embedding_model, alpha, reranker, rerank_share, evidence)
  values ($1, $2, $3, $4, $5, $6::text::jsonb)
  on conflict (source_account_id) do update
     set embedding_model = excluded.embedding_model, alpha = excluded.alpha, reranker = excluded.reranker,
         rerank_share = excluded.rerank_share, evidence = excluded.evidence, applied_at = now()`

/** Tunings of one tenant, or of all when absent, in order of name. */
export async function readTunings(owner: OwnerDatabase, tenant?: string): Promise<readonly TenantTuning[]> {
  const rows = await owner.session((session) =>
    session.query<Omit<TenantTuning, "evidence"> & { evidence: string } & Row>(READ, [tenant ?? null]),
  )
  return rows.map(({ evidence, ...row }) => ({ ...row, evidence: JSON.parse(evidence) as TenantTuning["evidence"] }))
}

/** Puts a tuning in the place of the tenant's: its next search goes by it, in every process. */
export async function applyTuning(owner: OwnerDatabase, tuning: Omit<TenantTuning, "appliedAt">): Promise<void> {
  const { tenant, embeddingModel, alpha, reranker, rerankShare, evidence } = tuning
  const values = [tenant, embeddingModel, alpha, reranker, rerankShare, JSON.stringify(evidence)]
  await owner.session((session) => session.query(APPLY, values))
}

/** Back to the defaults; whether there was anything else. */
export async function resetTuning(owner: OwnerDatabase, tenant: string): Promise<boolean> {
  const gone = await owner.session((session) =>
    session.query("delete from concordance.search_tunings where source_account_id = $1 returning 1", [tenant]),
  )
  return gone.length > 0
}
