import type { DetectLanguage } from "../../detect-language.ts"
import type { Translation } from "../../shapes.ts"
import { CHUNK_CHARS_MAX } from "../index-request.ts"
import { storable } from "../storable.ts"

/** What the model is told of translations. */
export const TRANSLATION_RULE =
  "`translation`: the whole text in the language `translate_to`, nothing added, left out or explained; its lines and ` | ` between cells stay. null where `translate_to` is null, or where there is nothing to translate, as in a list of names or figures."

/** A translation is so much longer or shorter than its original at the most. Of the 40 pairs in the sample bundle: .91 to 1.21. */
const LENGTH_RATIO_MAX = 2.5
/** Shorter texts are of any length in another language. */
const TELLING_CHARS_MIN = 40

const NAMES = { en: "English", pt: "Portuguese" } as const
type Target = keyof typeof NAMES

/** English for Portuguese, Portuguese for English, nothing for others. */
export function targetLanguage(language: string): Target | null {
  const primary = language.toLowerCase().split("-")[0]
  return primary === "pt" ? "en" : primary === "en" ? "pt" : null
}

/** The language's name in English, for prompts; of others the tag. */
export function languageName(language: string): string {
  return NAMES[language.split("-")[0] as Target] ?? language
}

/**
 * The model's translation, or null of one that can't be: empty, the same as the text, of quite another length, or in
 * another language than asked for, as far as that can be told.
 */
export function checkTranslation(
  reply: string,
  original: string,
  target: Target,
  detectLanguage: DetectLanguage,
): Translation | null {
  const content = storable(reply).trim()
  if (content === "" || content === original || content.length > CHUNK_CHARS_MAX) return null
  if (original.length >= TELLING_CHARS_MIN || content.length >= TELLING_CHARS_MIN) {
    const ratio = content.length / original.length
    if (ratio > LENGTH_RATIO_MAX || ratio < 1 / LENGTH_RATIO_MAX) return null
  }
  const detected = detectLanguage(content)
  if (detected !== null && detected !== target) return null
  return { language: target, content }
}
