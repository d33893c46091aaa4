import type { Anomaly } from "../annotations.ts"
import { storable } from "../storable.ts"

/** What may be odd about a passage, as its text alone can show. */
const KINDS = {
  "date-conflict": "dates that can't both be, or a date that does not exist",
  contradiction: "statements that contradict each other",
  spelling: "a name that is spelled in two ways",
  altered: "signs that the text was changed: struck out, written over, a word replaced",
  "later-note": "a remark that somebody added later",
  "missing-pages": "signs that a part is missing",
  illegible: "words that can't be read, or were read wrongly by a machine",
} as const

/** The kinds, for the shape of the answer. */
export const ANOMALY_KINDS = Object.keys(KINDS) as [keyof typeof KINDS, ...(keyof typeof KINDS)[]]

/** What the model is told of anomalies. */
export const ANOMALY_RULE = `\`anomalies\`: what an archivist would find odd, few or none, each with a \`note\` of one sentence in English. Kinds: ${Object.entries(
  KINDS,
)
  .map(([kind, meaning]) => `${kind} (${meaning})`)
  .join("; ")}.`

/** More of one passage is a model that repeats itself. */
const ANOMALIES_MAX = 5
const NOTE_CHARS_MAX = 300

/** The model's anomalies that can stand: of a known kind, with a note, each once. */
export function checkAnomalies(reply: readonly { readonly kind: string; readonly note: string }[]): Anomaly[] {
  const kept = new Map<string, Anomaly>()
  for (const { kind, note: given } of reply) {
    const note = storable(given).replace(/\s+/g, " ").trim().slice(0, NOTE_CHARS_MAX).toWellFormed()
    if (note !== "" && Object.hasOwn(KINDS, kind)) kept.set(JSON.stringify([kind, note]), { kind, note })
  }
  return [...kept.values()].slice(0, ANOMALIES_MAX)
}
