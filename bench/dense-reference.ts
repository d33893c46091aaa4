import type { OwnerDatabase, OwnerSession } from "../lib/database/database.ts"

/** For each filter the keys of the ten nearest chunks that pass, all compared; null is no filter. */
export type NearestOf = (vector: string, below: readonly (number | null)[]) => Promise<string[][]>

const BUCKETS = `
  create temp table bench_buckets as
  select c.key, (c.metadata ->> 'bucket')::int as bucket from concordance.chunks c
   where c.source_account_id = $1 and c.searchable`

// No index is on the bare column, so that every vector is compared.
const NEAREST = `
  with compared as materialized (
    select e.chunk_key, b.bucket, e.embedding <=> $1::text::halfvec as distance
      from concordance.embeddings e join bench_buckets b on b.key = e.chunk_key
     where e.source_account_id = $2 and e.space_id = $3)
  select array(select n.chunk_key::text
                 from (select c.chunk_key, c.distance from compared c where f.below is null or c.bucket < f.below
                        order by c.distance, c.chunk_key limit 10) n
                order by n.distance, n.chunk_key) as keys
    from unnest($4::int[]) with ordinality f (below, place) order by f.place`

/** What the ways are held against, asked as the owner by SQL of its own; `work` gets it. */
export function withReference<T>(
  owner: OwnerDatabase,
  tenant: string,
  spaceId: number,
  work: (nearest: NearestOf) => Promise<T>,
): Promise<T> {
  return owner.session(async (session: OwnerSession) => {
    await session.query("drop table if exists bench_buckets")
    await session.query(BUCKETS, [tenant])
    await session.script("analyze bench_buckets")
    return work(async (vector, below) => {
      const values = [vector, tenant, spaceId, `{${below.map((limit) => limit ?? "null").join(",")}}`]
      const rows = await session.query<{ keys: string[] }>(NEAREST, values)
      return rows.map(({ keys }) => keys)
    })
  })
}
