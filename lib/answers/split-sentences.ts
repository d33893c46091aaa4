const segmenter = new Intl.Segmenter("en", { granularity: "sentence" })
/** A full stop of these ends no sentence, whatever ICU makes of the capital that follows. */
const ABBREVIATION =
  /(?:^|[\s(])(?:[A-Z]|e\.g|i\.e|etc|cf|vs|no|nº|fig|figs|eq|sec|p|pp|vol|art|cap|pág|dr|dra|mr|mrs|ms|prof|sr|sra|st|ca|approx)\.\s*$/i

/** A run of a text. */
export interface Span {
  readonly start: number
  /** Exclusive. */
  readonly end: number
}

/**
 * The sentences of a text, without the white space around them; what holds no letter and no digit (a bullet, a rule) is
 * none. A line break ends one, and an abbreviation or a list's number does not. By Unicode's text segmentation (UAX 29).
 */
export function splitSentences(text: string): Span[] {
  const spans: Span[] = []
  let start = 0
  for (const { index, segment } of segmenter.segment(text)) {
    const end = index + segment.length
    const sentence = text.slice(start, end)
    const goesOn =
      !/\n\s*$/.test(sentence) && (ABBREVIATION.test(sentence) || /^\s*\W?\s*\d{1,3}[.)]\s*$/.test(sentence))
    if (goesOn && end < text.length) continue
    if (/[\p{L}\p{N}]/u.test(sentence)) spans.push(trimmed(text, start, end))
    start = end
  }
  return spans
}

function trimmed(text: string, start: number, end: number): Span {
  const sentence = text.slice(start, end)
  return { start: start + (sentence.length - sentence.trimStart().length), end: start + sentence.trimEnd().length }
}
