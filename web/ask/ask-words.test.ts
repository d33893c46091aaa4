import { describe, expect, test } from "vitest"
import type { AnswerResponse, AnswerStep } from "../../lib/answers/response.ts"
import { type AnswerView, ASKED } from "./answer-view.ts"
import { excerptOf, quotesIn } from "./excerpt.ts"
import { messagesOf } from "./messages-of.ts"
import { stepWords, summaryOf } from "./step-words.ts"
import { supportWords, verdictNotes } from "./verdict-words.ts"
import { whenAgain } from "./when-again.ts"

const answer = (more: Partial<AnswerResponse>): AnswerResponse => ({
  ...{ answer: "A. B.", sentences: [], citations: [], support: "fully_supported", useful: true, retrieved: true },
  ...{ refused: false, retries: 0, removed_citations: 0, generator: "m" },
  usage: { calls: 1, prompt_tokens: 1, completion_tokens: 1, cached_tokens: 0, estimated: false },
  ...more,
})
const sentences = (...supports: AnswerResponse["support"][]) =>
  supports.map((support) => ({ text: "A.", citations: [], support }))
const step = (node: string, more: Partial<AnswerStep> = {}) => ({ node, ended: { node, ms: 10, ...more } })

describe("steps in plain words", () => {
  test.each([
    [step("retrieve", { label: "15 new" }), "15 passages found"],
    [step("retrieve", { inputs: { documents: 1 } }), "1 passage found"],
    [step("relevance_grader", { label: "1 of 15 relevant" }), "1 of 15 bears on the question"],
    [step("relevance_grader", { label: "0 of 4 relevant" }), "None of them bears on the question"],
    [step("generator", { label: "NO_ANSWER" }), "No answer in the passages"],
    [step("support_grader", { label: "not judged" }), "Its sentences could not be checked"],
    [{ node: "support_grader", ended: null }, "Proving each sentence…"],
    [{ node: "context_builder", ended: null }, null],
    [{ node: "of_a_newer_server", ended: null }, null],
  ])("%j", (shown, words) => {
    expect(stepWords(shown)).toBe(words)
  })

  test("one line says how an answer came about, over all its rounds", () => {
    const steps = [
      ...[step("retrieve", { label: "4 new" }), step("relevance_grader", { label: "1 of 4 relevant" })],
      ...[step("retrieve", { label: "3 new" }), step("relevance_grader", { label: "2 of 3 relevant" })],
    ]
    const written = answer({ sentences: sentences("fully_supported"), retries: 1 })
    expect(summaryOf(steps, written)).toBe("7 passages found, 3 kept, 1 sentence written, tried again once")
    expect(summaryOf([], answer({ retrieved: false }))).toContain("without the documents")
  })
})

describe("the verdict says no more than was checked", () => {
  test.each([
    [{ support: "fully_supported", sentences: sentences("fully_supported", "fully_supported") }, "good"],
    [{ support: "fully_supported", sentences: sentences("fully_supported", null) }, "warn"],
    [{ support: "partially_supported", sentences: sentences("fully_supported", "not_supported") }, "warn"],
    [{ support: "not_supported", sentences: sentences("not_supported") }, "bad"],
    [{ support: null, sentences: sentences(null) }, "warn"],
    [{ support: null, retrieved: false, sentences: sentences(null) }, "warn"],
    [{ support: "fully_supported", generator: "extractive", sentences: sentences("fully_supported") }, "good"],
  ] as const)("%j", (more, tone) => {
    expect(supportWords(answer(more as Partial<AnswerResponse>)).tone).toBe(tone)
  })

  test("what was taken out or done without is said, without the names of steps", () => {
    expect(verdictNotes(answer({ removed_citations: 2, degraded: ["support_grader: the model was late"] }))).toEqual([
      "2 citations of what was never found were taken out.",
      "The model was late.",
    ])
  })
})

describe("a passage's excerpt", () => {
  const long = `${"before ".repeat(100)}Here it is. ${"after ".repeat(100)}`

  test("a short passage stands as it is", () => {
    expect(excerptOf("Here it is.", [{ start: 0, end: 4 }])).toEqual({
      ...{ text: "Here it is.", isWhole: true },
      marks: [{ start: 0, end: 4 }],
    })
  })

  test("a long one shows its first mark, on the same words", () => {
    const { text, marks, isWhole } = excerptOf(long, quotesIn(long, ["Here it is."]))
    expect(isWhole).toBe(false)
    expect(text.length).toBeLessThan(450)
    expect(marks.map(({ start, end }) => text.slice(start, end))).toEqual(["Here it is."])
    expect(text).toMatch(/^… before .* …$/)
  })

  test("without a mark it is the beginning, and no character is cut in two", () => {
    const { text } = excerptOf("🕯".repeat(1_000), [])
    expect(text.isWellFormed()).toBe(true)
    expect(text.startsWith("🕯")).toBe(true)
  })

  test("sentences are marked where they stand word for word, once each, and never one over another", () => {
    expect(quotesIn("One two. Three.", ["Three.", "One two.", "two.", "Four."])).toEqual([
      { start: 0, end: 8 },
      { start: 9, end: 15 },
    ])
  })
})

describe("a conversation for the API", () => {
  const turn = (question: string, view: Partial<AnswerView>) => ({ question, view: { ...ASKED, ...view } })

  test("earlier turns come with what they said, without citations; those of which nothing came are left out", () => {
    const earlier = [
      turn("When?", { answer: answer({ answer: "At noon [[a#c0001]]." }) }),
      turn("Lost", {}),
      turn("Half", { phase: "stopped", draft: "It was" }),
    ]
    expect(messagesOf(earlier, "And then?").map(({ content }) => content)).toEqual([
      ...["When?", "At noon.", "Half", "It was"],
      "And then?",
    ])
  })

  test("keeps within what the API takes, and begins with a question", () => {
    const earlier = Array.from({ length: 40 }, () => turn("Q", { draft: "x".repeat(9_000) }))
    const messages = messagesOf(earlier, "Last")
    expect(messages.length).toBeLessThanOrEqual(50)
    expect(messages[0]?.role).toBe("user")
    expect(messages.at(-1)).toEqual({ role: "user", content: "Last" })
    expect(Math.max(...messages.map(({ content }) => content.length))).toBe(8_000)
  })
})

test.each([
  [0.4, "in 1 second"],
  [42, "in 42 seconds"],
  [600, "at 22:10, in 10 minutes"],
  [7_200, "at 00:00 tomorrow, in about 2 hours"],
])("%s seconds are said as people do: %s", (seconds, words) => {
  expect(whenAgain(seconds, new Date(2026, 0, 5, 22, 0), "en-GB")).toBe(words)
})
