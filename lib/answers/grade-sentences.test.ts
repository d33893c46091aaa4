import { expect, test } from "vitest"
import { supportOfWhole } from "./grade-sentences.ts"
import type { SupportLabel } from "./response.ts"

const LABELS = { f: "fully_supported", p: "partially_supported", n: "not_supported" } as const

test.each([
  ["fff", "f"],
  ["ffp", "p"],
  ["ppp", "p"],
  ["fnn", "p"],
  ["pn", "p"],
  ["nn", "n"],
  ["f?", "p"],
  ["n?", "?"],
  ["??", "?"],
  ["", "?"],
])("sentences labelled %j are an answer labelled %j; ?: not judged", (sentences, whole) => {
  const label = (letter: string): SupportLabel | null => LABELS[letter as keyof typeof LABELS] ?? null
  expect(supportOfWhole([...sentences].map(label))).toBe(label(whole))
})
