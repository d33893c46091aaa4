import type { Drawings } from "./read-pdf-drawings.ts"
import type { TextLayer } from "./read-pdf-words.ts"

/** A text layer of which this share can't be told is a font without a table of letters. */
const UNKNOWN_SHARE_MAX = 0.3
/** A scan may carry a stamp, a page number or the name of the scanning program: under so many letters it has no text layer. */
const LETTERS_OF_A_STAMP = 100
const COVERAGE_OF_A_SCAN = 0.65
/** A page of so few letters is a title page, or one whose text is drawn as pictures or paths. */
const LETTERS_FEW = 20
const COVERAGE_OF_A_PICTURE = 0.1
/** Letters drawn as paths take one each. A frame or a chart has fewer. */
const PATHS_OF_WORDS = 40

/** Whether a page's words have to be recognised from its picture, because its text layer is missing, unreadable or a stamp. */
export function needsRecognition(layer: TextLayer, drawings: Drawings): boolean {
  if (layer.unknownCharacters > UNKNOWN_SHARE_MAX * layer.characters) return true
  const letters = layer.words.reduce((sum, { text }) => sum + text.length, 0)
  if (letters < LETTERS_OF_A_STAMP && drawings.imageCoverage >= COVERAGE_OF_A_SCAN) return true
  return letters < LETTERS_FEW && (drawings.imageCoverage >= COVERAGE_OF_A_PICTURE || drawings.paths >= PATHS_OF_WORDS)
}
