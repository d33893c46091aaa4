/** A question taken apart as the SQL function `parse_query` does it. */
export interface Question {
  /** What is left to rank by, quotes taken off; may be empty. */
  readonly words: string
  /** `"a phrase"`: every hit must hold each. */
  readonly phrases: readonly string[]
  /** `-word`, `-"a phrase"`: no hit may hold any. */
  readonly excluded: readonly string[]
}

const EXCLUSION = /(^|\s)-("[^"]*"|[^\s"]+)/g

/** Takes a question apart. */
export function parseQuestion(query: string): Question {
  const excluded = [...query.matchAll(EXCLUSION)].map(([, , text = ""]) => text.replaceAll('"', " ").trim())
  const rest = query.replace(EXCLUSION, " ")
  const phrases = [...rest.matchAll(/"([^"]*)"/g)].map(([, text = ""]) => text.trim())
  return {
    words: rest.replaceAll('"', " ").trim(),
    phrases: phrases.filter((text) => text !== ""),
    excluded: excluded.filter((text) => text !== ""),
  }
}
