import { expect, test } from "vitest"
import { hit } from "../../../tests/answering.ts"
import { randomFrom } from "../../random.ts"
import type { AnswerEvent } from "../answer.ts"
import { citeSentences } from "../cite-sentences.ts"
import { forwardTokens } from "./forward-tokens.ts"

const SOURCES = [hit("tides", "a", { page: 7 }), hit("moon", "b"), hit("a]b#c/d", "c")]

function heard(pieces: readonly string[]) {
  const events: AnswerEvent[] = []
  const forward = forwardTokens(SOURCES, (event) => events.push(event))
  for (const piece of pieces) forward.push(piece)
  forward.end()
  return {
    tokens: events.flatMap((event) => (event.type === "token" ? [event.text] : [])),
    cited: events.flatMap((event) => (event.type === "citation" ? [event.citation.citation] : [])),
  }
}

test("a text is passed on as it comes, with its citations in their last form", () => {
  const { tokens, cited } = heard([
    "\nThe ",
    "tide",
    " [",
    "Doc",
    " 1",
    "]",
    "[Doc 2][Doc 9]",
    ". So",
    " it [[moon#c0001]",
    "].",
  ])
  expect(tokens).toEqual(["The", " tide", " [[tides/p007#c0001]]", "[[moon#c0001]]", ". So", " it", " [[moon#c0001]]."])
  expect(cited).toEqual(["[[tides/p007#c0001]]", "[[moon#c0001]]"])
})

test.each([["NO_ANSWER"], ["NO", "_ANS", "WER."], [" **NO_", "ANSWER** The passages"]])(
  "the sign that there is no answer is not passed on: %j",
  (...pieces) => {
    expect(heard(pieces)).toEqual({ tokens: [], cited: [] })
  },
)

test("a text without a Latin letter is passed on as it comes", () => {
  expect(heard(["潮は", "正午に", "変わる。"]).tokens).toEqual(["潮は", "正午に", "変わる。"])
})

test("whatever a model writes in whatever pieces, what is passed on begins the answer and cites what was found alone", () => {
  const random = randomFrom(7)
  const bits = ["[", "]", "[[", "]]", "[Doc ", "Doc", "1", "2", "9", " ", ". ", "\n", "moon#c0001", "tides/p007#c0001"]
  bits.push("a", "evil#c1", "[Doc 1]", "[[moon#c0001]]", "[[evil#c1]]", "NO_ANSWER", "e", ",", "\uE000", "\u{1F600}")
  const allowed = new Set(SOURCES.map(({ citation }) => citation))
  let whole = 0
  for (let round = 0; round < 10_000; round++) {
    const pieces = Array.from({ length: 1 + random() * 14 }, () => bits[Math.floor(random() * bits.length)] ?? "")
    const { tokens, cited } = heard(pieces)
    const text = tokens.join("")
    const { answer } = citeSentences(pieces.join("").trim(), SOURCES)
    if (text === answer) whole++
    for (const citation of [...cited, ...(text.match(/\[\[[^[\]]*\]\]/g) ?? [])]) {
      expect(allowed, JSON.stringify(pieces)).toContain(citation)
    }
  }
  // Others hold the sign, or marks inside of marks.
  expect(whole).toBeGreaterThan(5_000)
})
