import { AppError } from "../errors.ts"
import type { OwnerDatabase, OwnerSession, Row } from "./database.ts"

/** Vectors of one model that a tenant has. */
export interface VectorSpace {
  readonly tenant: string
  readonly model: string
  readonly dimensions: number
  readonly state: "building" | "active" | "retired"
  /** Has an HNSW index; without one it is scanned exactly. */
  readonly indexed: boolean
  readonly vectors: number
  /** Chunks that its model is to embed and hasn't; null where callers bring the vectors, or no swap has been begun. */
  readonly missing: number | null
  /** Of the vectors, about; the index by itself. */
  readonly bytes: number
  readonly indexBytes: number
}

/**
 * Links of a vector in the graph, and among how many they are chosen. By pgvector's own 16 and 64 recall@10 under a filter
 * that a tenth passes is .98 at 150,000 chunks, and 1 by these; the index is 4 % larger and takes twice as long to build.
 */
const LINKS = 24
const LINKS_LOOKED_AT = 128

/** All spaces of all tenants, the largest first. */
export async function listVectorSpaces(owner: OwnerDatabase): Promise<VectorSpace[]> {
  return owner.session((session) =>
    session.query<VectorSpace & Row>(`
      select s.source_account_id as tenant, s.model, s.dimensions, s.state, s.indexed,
             (select count(*)::float8 from concordance.embeddings e
               where e.source_account_id = s.source_account_id and e.space_id = s.id) as vectors,
             case when s.opening is not null then
               (select count(*)::float8 from concordance.chunks_to_embed m
                 where m.source_account_id = s.source_account_id and m.space_id = s.id) end as missing,
             (select coalesce(sum(pg_column_size(e.embedding)), 0)::float8 from concordance.embeddings e
               where e.source_account_id = s.source_account_id and e.space_id = s.id) as bytes,
             coalesce(pg_relation_size(to_regclass('concordance.embeddings_space_' || s.id)), 0)::float8 as "indexBytes"
        from concordance.embedding_spaces s order by vectors desc, tenant, model`),
  )
}

/**
 * Builds the HNSW index of one tenant's space of vectors, and lets searches use it. A space belongs to one tenant, so its
 * index holds nobody else's rows: one index for all tenants loses a small tenant its recall (recall@10 .157 at 1 % of the
 * rows). Worth it above about 50,000 chunks; below that an exact scan is as fast and misses nothing. Writers go on
 * meanwhile. Throws `not_found` for a space that isn't there.
 */
export async function buildVectorIndex(owner: OwnerDatabase, tenant: string, model: string): Promise<void> {
  await owner.session(async (session) => {
    const [space] = await session.query<{ id: number; dimensions: number }>(
      "select id, dimensions from concordance.embedding_spaces where source_account_id = $1 and model = $2",
      [tenant, model],
    )
    if (!space) throw new AppError("not_found", `Tenant ${tenant} has no vectors of ${model}: index a document first`)
    const { id, dimensions } = space
    const [{ schema } = { schema: "public" }] = await session.query<{ schema: string }>(
      "select n.nspname as schema from pg_extension e join pg_namespace n on n.oid = e.extnamespace where e.extname = 'vector'",
    )
    // Space and dimensions are numbers from the database itself. An interrupted build leaves an invalid index behind.
    await dropVectorIndex(session, id)
    await session.query(
      `create index concurrently embeddings_space_${id} on concordance.embeddings
        using hnsw ((embedding::"${schema}".halfvec(${dimensions})) "${schema}".halfvec_cosine_ops)
        with (m = ${LINKS}, ef_construction = ${LINKS_LOOKED_AT}) where space_id = ${id}`,
    )
    await session.query("update concordance.embedding_spaces set indexed = true where id = $1", [id])
  })
}

/** How many vectors a space has. */
export async function countVectors(owner: OwnerDatabase, tenant: string, spaceId: number): Promise<number> {
  const text = "select count(*)::float8 as n from concordance.embeddings where source_account_id = $1 and space_id = $2"
  const [row] = await owner.session((session) => session.query<{ n: number }>(text, [tenant, spaceId]))
  return row?.n ?? 0
}

/** Drops the index of a space, whole or not; searches and writes go on. */
export async function dropVectorIndex(session: OwnerSession, spaceId: number): Promise<void> {
  await session.query(`drop index concurrently if exists concordance.embeddings_space_${spaceId}`)
}
