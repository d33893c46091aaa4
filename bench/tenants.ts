import type { OwnerDatabase, OwnerSession } from "../lib/database/database.ts"

/** Removes every row of a tenant that an earlier bench left behind. */
export async function forgetTenant(owner: OwnerDatabase, tenant: string): Promise<void> {
  await owner.session((session) =>
    session.transaction(async () => {
      for (const table of ["documents", "embedding_spaces", "lexeme_counts", "lexeme_count_deltas"]) {
        await session.query(`delete from concordance.${table} where source_account_id = $1`, [tenant])
      }
    }),
  )
}

/** Chunks that a tenant holds and search can find. */
export async function countChunks(session: OwnerSession, tenant: string): Promise<number> {
  const [row] = await session.query<{ count: number }>(
    "select count(*)::float8 as count from concordance.chunks where source_account_id = $1 and searchable",
    [tenant],
  )
  return row?.count ?? 0
}
