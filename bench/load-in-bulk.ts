import type { OwnerDatabase, OwnerSession } from "../lib/database/database.ts"

const WORDS_INDEX = "chunks_lexemes"

const COUNT_LEXEMES = `
  insert into concordance.lexeme_counts (source_account_id, lexicon, lexeme, chunks)
  select c.source_account_id, term.lexicon, term.lexeme, count(*)
    from concordance.chunks c,
         lateral concordance.counted_terms(c.language, c.translation_language, c.lexemes, c.searchable) term
   where c.source_account_id = $1
   group by 1, 2, 3`

/**
 * Fills one tenant of a bench's own database while nothing is counted and no index on words is kept: `load` writes by the
 * product's index path, then the index is built at once and the lexemes are counted by one aggregate. What is left is what
 * the path leaves by itself (load-in-bulk.test.ts). The tenant must hold nothing yet, and nobody else may write meanwhile.
 */
export async function loadInBulk(owner: OwnerDatabase, tenant: string, load: () => Promise<void>): Promise<void> {
  const definition = await owner.session(takeOff)
  try {
    await load()
  } finally {
    await owner.session((session) => putBack(session, tenant, definition))
  }
}

/** Returns how the index is made anew. */
async function takeOff(session: OwnerSession): Promise<string> {
  const [row] = await session.query<{ definition: string }>(
    `select pg_get_indexdef('concordance.${WORDS_INDEX}'::regclass) as definition`,
  )
  await session.script(
    `alter table concordance.chunks disable trigger count_added; drop index concordance.${WORDS_INDEX}`,
  )
  return row?.definition ?? ""
}

async function putBack(session: OwnerSession, tenant: string, definition: string): Promise<void> {
  await session.script(definition)
  await session.script("alter table concordance.chunks enable trigger count_added")
  await session.query(COUNT_LEXEMES, [tenant])
}
