import { describe, expect, test } from "vitest"
import type { AnswerResponse, AnswerSentence } from "../../lib/answers/response.ts"
import { answerBlocks, type Block, draftBlocks, plainText } from "./answer-blocks.ts"

const A = "[[a/p002#c0001]]"
const B = "[[b#c0007]]"
const sentence = (text: string, citations: string[] = [], support: AnswerSentence["support"] = "fully_supported") => ({
  ...{ text, citations, support },
})
const answerOf = (answer: string, sentences: AnswerSentence[]) =>
  ({ answer, sentences, citations: [{ citation: A }, { citation: B }] }) as unknown as AnswerResponse
/** Each block as `kind: text(sources)…`. */
const shown = (blocks: readonly Block[]) =>
  blocks.map(
    ({ kind, runs }) => `${kind}: ${runs.map(({ lead, text, sources }) => `${lead}${text}(${sources})`).join("")}`,
  )

describe("a finished answer", () => {
  test("stands sentence by sentence in the lines in which it was written, with numbers in the citations' order", () => {
    const answer = `Noon ${A}. It is "late" ${B}${A}.\n\nBring oil ${B}.`
    const sentences = [sentence("Noon.", [A]), sentence('It is "late".', [B, A]), sentence("Bring oil.", [B])]
    expect(shown(answerBlocks(answerOf(answer, sentences)))).toEqual([
      'line: Noon.(1) It is "late".(2,1)',
      "line: Bring oil.(2)",
    ])
  })

  test("keeps the support of each sentence", () => {
    const sentences = [sentence("One.", [A]), sentence("Two.", [], "not_supported"), sentence("Three.", [], null)]
    const [block] = answerBlocks(answerOf(`One ${A}. Two. Three.`, sentences))
    expect(block?.runs.map(({ support }) => support)).toEqual(["fully_supported", "not_supported", null])
  })

  test.each(["- ", "* ", "• "])("items that begin with %j are items, without it", (bullet) => {
    const sentences = [sentence("In short:"), sentence(`${bullet}oil`, [A])]
    expect(shown(answerBlocks(answerOf(`In short:\n${bullet}oil ${A}`, sentences)))).toEqual([
      "line: In short:()",
      "item: oil(1)",
    ])
  })

  test("rows of as many cells are a table, and a lone row is a line", () => {
    const rows = ["Quarter | Sold", "April | 196", "July | 285"]
    const answer = [...rows, "Words."].map((row) => `${row} ${A}`).join("\n")
    const blocks = answerBlocks(
      answerOf(
        answer,
        [...rows, "Words."].map((row) => sentence(row, [A])),
      ),
    )
    expect(blocks.map(({ kind, runs }) => [kind, runs.length])).toEqual([
      ["table", 3],
      ["line", 1],
    ])
    expect(answerBlocks(answerOf(`July | 285 ${A}`, [sentence("July | 285", [A])]))).toMatchObject([{ kind: "line" }])
  })

  test("no sentence is lost where the text has it otherwise", () => {
    const blocks = answerBlocks(answerOf("Something else.", [sentence("One."), sentence("Two.", [B])]))
    expect(blocks.flatMap(({ runs }) => runs.map(({ text }) => text))).toEqual(["One.", "Two."])
  })

  test("brackets that cite nothing stay text", () => {
    const text = "Read [[this]] and [1]."
    expect(plainText(text)).toBe(text)
    expect(shown(answerBlocks(answerOf(text, [sentence(text)])))).toEqual([`line: ${text}()`])
  })
})

describe("a text that is still being written", () => {
  test("numbers its sources as it cites them, and has its full stops before the numbers", () => {
    expect(shown(draftBlocks(`Noon ${B}. Late ${A}${B}. And`))).toEqual(["line: Noon.(1) Late.(2,1) And()"])
  })

  test.each(["Noon [[a/p0", "Noon [[a/p002#c0001]", "Noon ["])("%j shows no half of a citation", (draft) => {
    expect(shown(draftBlocks(draft))).toEqual(["line: Noon()"])
  })

  test("a letter at a time, it never shows a bracket and only ever grows", () => {
    const whole = `Noon ${A}.\n- oil ${B}`
    const texts = [...whole].map((_, index) =>
      draftBlocks(whole.slice(0, index + 1))
        .flatMap(({ runs }) => runs.map(({ text }) => text))
        .join(""),
    )
    expect(texts.filter((text) => /[[\]#]/.test(text))).toEqual([])
    expect(texts.at(-1)).toBe("Noon.oil")
  })

  test("nothing of nothing", () => {
    expect(draftBlocks("")).toEqual([])
  })
})
