/** Characters that a reader doesn't see, by which text can hide from people and speak to a model (tags, bidi, zero width). */
const UNSEEN = /(?![\n\t])[\p{Cc}\p{Cf}\p{Variation_Selector}]/gu
/** Forms of `<`, `>` and `&` that normalisation (NFKC, as some tokenizers do it) makes ASCII. */
const LOOKALIKES: Readonly<Record<string, string>> = {
  "<": "&lt;",
  "\uFE64": "&lt;",
  "\uFF1C": "&lt;",
  ">": "&gt;",
  "\uFE65": "&gt;",
  "\uFF1E": "&gt;",
  "&": "&amp;",
  "\uFE60": "&amp;",
  "\uFF06": "&amp;",
}

/**
 * A document's text for the inside of a `<content>`, which it can't leave: `&`, `<` and `>` are entities, and so is the `[`
 * with which some chat templates open their control tokens (`[INST]`; those in `<|…|>` went with the `<`), for a server
 * may read these as such wherever they stand. Characters that nobody sees are left out.
 */
export function escapePassage(text: string): string {
  return text
    .replace(/\r\n?|[\u0085\u2028\u2029]/g, "\n")
    .replace(UNSEEN, "")
    .replace(/[<>&\uFE60\uFE64\uFE65\uFF06\uFF1C\uFF1E]/g, (character) => LOOKALIKES[character] ?? "")
    .replace(/[[\uFF3B](?=\s*\/?[A-Z_]+\s*[\]\uFF3D])/g, "&#91;")
}
