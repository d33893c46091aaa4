import type { Row } from "../lib/database/database.ts"
import type { TestDatabase } from "./database.ts"

/** The document frequencies as the counts have them and as the chunks themselves say, wherever the two differ. */
export const DISAGREEMENTS = `
  with counted as (
    select source_account_id, lexicon, lexeme, sum(chunks) as chunks
      from (select * from concordance.lexeme_counts union all select * from concordance.lexeme_count_deltas) c
     group by 1, 2, 3),
  recounted as (
    -- From the texts, not from the stored lexemes: each language of a chunk on its own, and a chunk once.
    select source_account_id, lexicon, term.lexeme, count(distinct key) as chunks
      from (select source_account_id, key, concordance.lexicon(language) as lexicon, title || ' ' || content as said
              from concordance.chunks where searchable
            union all
            select source_account_id, key, concordance.lexicon(translation_language), translated_content
              from concordance.chunks where searchable and translated_content is not null) part,
           lateral (select lexeme from unnest(concordance.lexemes(lexicon, said)) union all select '') term
     group by 1, 2, 3)
  select source_account_id, lexicon, lexeme, c.chunks::text as counted, r.chunks::text as recounted
    from counted c full join recounted r using (source_account_id, lexicon, lexeme)
   where coalesce(c.chunks, 0) <> coalesce(r.chunks, 0)
   limit 10`

const SIZES = `
  select (select count(*)::int from concordance.chunks) as chunks,
         (select count(*)::int from concordance.lexeme_counts) as counts,
         (select count(*)::int from concordance.lexeme_count_deltas) as deltas`

/** Where counts and chunks disagree (nowhere, that is right), and how many of each there are. */
export async function recount(db: TestDatabase): Promise<{ disagreements: Row[]; sizes: Row }> {
  return db.owner.session(async (session) => {
    const disagreements = await session.query(DISAGREEMENTS)
    const [sizes = {}] = await session.query(SIZES)
    return { disagreements, sizes }
  })
}

const LANGUAGES = ["en", "pt", "de", "fr"]

/**
 * A document of one to four chunks out of few words, so that words come and go; half have a parent, and many chunks a
 * translation, some of them into the language that they are in.
 */
export function randomDocument(random: () => number, id: string) {
  const pick = (n: number) => Math.floor(random() * n)
  const text = () => Array.from({ length: 3 + pick(20) }, () => `word${Math.floor(60 * random() ** 3)}`).join(" ")
  const parents = random() < 0.5 ? [{ content: text() }] : []
  const chunks = Array.from({ length: 1 + pick(4) }, () => ({
    content: text(),
    language: LANGUAGES[pick(LANGUAGES.length)] ?? "en",
    ...(random() < 0.4 && { translation: { language: LANGUAGES[pick(LANGUAGES.length)] ?? "pt", content: text() } }),
    ...(parents.length > 0 && { parent: 0 }),
    ...(random() < 0.3 && { embedding: [1, random(), random()] }),
  }))
  return { id, title: random() < 0.5 ? `word${pick(60)}` : "", chunks, parents }
}
