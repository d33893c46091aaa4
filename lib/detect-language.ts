/** Language of a text as a tag like `en`; null when it can't be told. */
export type DetectLanguage = (text: string) => string | null

/** Enough of a text to tell its language by, in characters. */
const SAMPLE_CHARS = 500
/** Below this a text is a title or a code: the guess would be one. */
const TELLING_CHARS_MIN = 40
/** Of what is not white space: less is a table of figures, or a font whose letters the file calls by other names. */
const LETTERS_SHARE_MIN = 0.5
/** Of a question, which is a sentence: 30 of 30 Portuguese ones are told, and none of 525 English ones is another's. */
const QUESTION_CHARS_MIN = 20

/**
 * A detector over n-grams of 60 languages (ELD, Apache-2.0), for texts of at least `charsMin` characters. Its data takes
 * 100 ms to load, so it is loaded by the first that needs it; to ask again costs nothing.
 */
export async function loadLanguageDetector(charsMin = TELLING_CHARS_MIN): Promise<DetectLanguage> {
  const { eld } = await import("eld/small")
  const detector = eld.newInstance()
  return (text) => {
    const sample = text.slice(0, SAMPLE_CHARS)
    const visible = sample.replace(/\s/g, "").length
    const letters = sample.match(/\p{L}/gu)?.length ?? 0
    if (sample.trim().length < charsMin || letters < LETTERS_SHARE_MIN * visible) return null
    const detected = detector.detect(sample)
    return detected.isReliable() ? detected.language : null
  }
}

/** The same for questions. */
export const loadQuestionDetector = (): Promise<DetectLanguage> => loadLanguageDetector(QUESTION_CHARS_MIN)
