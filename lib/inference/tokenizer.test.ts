import { expect, test } from "vitest"
import { createTokenizer, type Encode } from "./tokenizer.ts"

/** Words numbered by their letters' codes, set between special tokens as BERT or XLM-R do it. */
function wordEncoder(style: "bert" | "xlm-r", calls: string[] = []): Encode {
  const ids = (text: string) => (text.match(/\S+/g) ?? []).map((word) => 1000 + word.charCodeAt(0))
  return (text, { pair, specialTokens }) => {
    calls.push(text)
    const a = ids(text)
    if (!specialTokens) return { ids: a, types: a.map(() => 0) }
    const b = pair === undefined ? null : ids(pair)
    if (style === "bert") {
      const first = [101, ...a, 102]
      const second = b ? [...b, 102] : []
      return { ids: [...first, ...second], types: [...first.map(() => 0), ...second.map(() => 1)] }
    }
    return { ids: [0, ...a, 2, ...(b ? [2, ...b, 2] : [])] }
  }
}

const words = (count: number, word = "b") => Array.from({ length: count }, () => word).join(" ")

test("a text that is too long loses its tail and keeps its closing token", () => {
  const tokenizer = createTokenizer(wordEncoder("bert"), 8)
  const fits = tokenizer.single(words(6))
  expect(fits).toMatchObject({ isTruncated: false, textStart: 1, textEnd: 7 })
  const cut = tokenizer.single(words(7))
  expect(cut).toMatchObject({ isTruncated: true, textStart: 1, textEnd: 7 })
  expect(cut.ids).toEqual([101, 1098, 1098, 1098, 1098, 1098, 1098, 102])
})

test("a pair is laid out as the model was trained: BERT with segments, XLM-R with two separators", () => {
  const bert = createTokenizer(wordEncoder("bert"), 16).pair("a a")("b")
  expect(bert).toMatchObject({ ids: [101, 1097, 1097, 102, 1098, 102], types: [0, 0, 0, 0, 1, 1] })
  expect(bert.ids.slice(bert.textStart, bert.textEnd)).toEqual([1098])
  const xlmR = createTokenizer(wordEncoder("xlm-r"), 16).pair("a a")("b")
  expect(xlmR).toMatchObject({ ids: [0, 1097, 1097, 2, 2, 1098, 2], types: [0, 0, 0, 0, 0, 0, 0] })
})

test("in a pair a long query keeps half of the room, so that the passage is still read", () => {
  const pair = createTokenizer(wordEncoder("bert"), 23).pair(words(50, "a"))(words(50))
  expect(pair.ids).toHaveLength(23)
  expect(pair.ids.filter((id) => id === 1097)).toHaveLength(10)
  expect(pair.ids.filter((id) => id === 1098)).toHaveLength(10)
  expect(pair.isTruncated).toBe(true)
  expect(pair.ids.at(-1)).toBe(102)
})

test("of a text of 2 MB only the beginning is tokenized, and long stretches of white space do not deceive it", () => {
  const calls: string[] = []
  const tokenizer = createTokenizer(wordEncoder("bert", calls), 8)
  calls.length = 0
  expect(tokenizer.single(words(1_000_000)).isTruncated).toBe(true)
  expect(calls.every((text) => text.length < 200)).toBe(true)
  const sparse = `a${" ".repeat(5_000)}b`
  expect(tokenizer.single(sparse)).toMatchObject({ ids: [101, 1097, 1098, 102], isTruncated: false })
})

test("an empty text is its special tokens alone", () => {
  const empty = createTokenizer(wordEncoder("bert"), 8).single("")
  expect(empty).toMatchObject({ ids: [101, 102], textStart: 1, textEnd: 1, isTruncated: false })
})
