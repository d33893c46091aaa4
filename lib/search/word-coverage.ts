import type { Database, Statement } from "../database/database.ts"
import { queryText } from "./query-text.ts"

/** A text that a question's words are looked for in. */
export interface CoveredText {
  readonly text: string
  /** As in BCP 47; its words are stemmed as this language's. */
  readonly language: string
}

export interface WordCoverage {
  /** The question's words without stop words of its language, as they are written, in their order. */
  readonly words: readonly string[]
  /**
   * The share of these words that each text has, weighed by their rarity (IDF) among the tenant's chunks, 0–1. One that no
   * chunk has is the rarest of all, and no text covers it.
   */
  readonly shares: readonly number[]
}

/** Looks for a question's words in texts. Throws `deadline_exceeded`, `database_unavailable`. */
export type CoverWords = (
  tenant: string,
  question: string,
  language: string | null,
  texts: readonly CoveredText[],
  timeoutMs: number,
) => Promise<WordCoverage>

const COVERAGE = `
  with flagged as (
    select word, place, coalesce(ts_lexize('pg_catalog.english_stem', bare) = '{}', false) as en,
           coalesce(ts_lexize('pg_catalog.portuguese_stem', bare) = '{}', false) as pt
      from (select word, place, lower(btrim(word, '.,;:!?()[]{}''…«»“”‘’¿¡"')) as bare
              from regexp_split_to_table($1::text, '\\s+') with ordinality w (word, place)) w),
  words as (
    select coalesce(string_agg(word, ' ' order by place), '') as words from flagged
     where not case lexicon(coalesce($2::text, 'und'))
             when 'en' then en when 'pt' then pt else $2::text is null and (en or pt) end),
  texts as materialized (
    select lexicon(language) as lexicon, tsvector_to_array(lexemes(lexicon(language), text)) as held, place
      from unnest($3::text[], $4::text[]) with ordinality t (text, language, place)),
  asked as (
    select l.lexicon, q.lexeme
      from (select distinct lexicon from texts) l, words, unnest(tsvector_to_array(lexemes(l.lexicon, words.words))) q (lexeme)),
  counts as (
    select c.lexicon, c.lexeme, sum(c.chunks)::float8 as chunks
      from (select lexicon, lexeme, chunks from lexeme_counts where source_account_id = $5::text
            union all
            select lexicon, lexeme, chunks from lexeme_count_deltas where source_account_id = $5::text) c
     where c.lexeme = '' or (c.lexicon, c.lexeme) in (select lexicon, lexeme from asked)
     group by 1, 2),
  weighed as (
    select a.lexicon, a.lexeme,
           ln(1 + (coalesce(t.chunks, 0) - coalesce(c.chunks, 0) + 0.5) / (coalesce(c.chunks, 0) + 0.5)) as idf
      from asked a
      left join counts c on c.lexicon = a.lexicon and c.lexeme = a.lexeme
      left join counts t on t.lexicon = a.lexicon and t.lexeme = '')
  select coalesce(sum(w.idf) filter (where w.lexeme = any (t.held)) / nullif(sum(w.idf), 0), 0)::float8 as share,
         (select words from words) as words
    from texts t left join weighed w on w.lexicon = t.lexicon
   group by t.place order by t.place`

/** A row of `COVERAGE`. */
interface CoverageRow {
  readonly share: number
  readonly words: string
}

/** `CoverWords` by the lexicons and counts that the search by words goes by. */
export function createCoverWords(database: Database): CoverWords {
  return async (tenant, question, language, texts, timeoutMs) => {
    if (texts.length === 0) return { words: [], shares: [] }
    const statement: Statement = {
      text: COVERAGE,
      values: [
        queryText(question),
        language,
        texts.map(({ text }) => text),
        texts.map((text) => text.language),
        tenant,
      ],
    }
    const [rows = []] = await database.batch({ tenant }, [statement], { timeoutMs })
    const coverage = rows as unknown as CoverageRow[]
    const words = (coverage[0]?.words ?? "").split(" ").filter((word) => word !== "")
    return { words, shares: coverage.map(({ share }) => share) }
  }
}
