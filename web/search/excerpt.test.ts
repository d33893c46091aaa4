import { expect, test } from "vitest"
import { type Excerpt, excerptOf } from "./excerpt.ts"

const marksOf = (text: string, ...words: string[]) =>
  words
    .flatMap((word) =>
      [...text.matchAll(new RegExp(word, "g"))].map(({ index }) => ({ start: index, end: index + word.length })),
    )
    .sort((a, b) => a.start - b.start)

const marked = ({ text, marks }: Excerpt) => marks.map(({ start, end }) => text.slice(start, end))

const SENTENCES = Array.from({ length: 40 }, (_, i) => `Sentence number ${i} says little of the sea.`)
const LONG = SENTENCES.join(" ")

test("a short text stays whole, with its marks", () => {
  const marks = marksOf("The lamp burns.", "lamp")
  expect(excerptOf("The lamp burns.", marks)).toEqual({
    text: "The lamp burns.",
    marks,
    cutBefore: false,
    cutAfter: false,
  })
})

test("a long text is cut to where most different words are marked, from the beginning of a sentence", () => {
  const text = LONG.replace("number 5 says", "number 5 lamp").replace("number 20 says little", "number 20 lamp diesel")
  const excerpt = excerptOf(text, marksOf(text, "lamp", "diesel"))
  expect(new Set(marked(excerpt))).toEqual(new Set(["lamp", "diesel"]))
  expect(excerpt.text).toMatch(/^Sentence number/)
  expect(excerpt).toMatchObject({ cutBefore: true, cutAfter: true })
  expect(excerpt.text.length).toBeLessThan(600)
})

test("without marks it is the beginning, and ends with a whole word", () => {
  const { text, cutBefore, cutAfter } = excerptOf(LONG, [])
  expect(LONG.startsWith(`${text} `)).toBe(true)
  expect([cutBefore, cutAfter]).toEqual([false, true])
})

test("10,000 characters without a space are cut too, and no emoji is cut in two", () => {
  for (const endless of ["x".repeat(10_000), "🦀".repeat(5_000), `a${"🦀".repeat(5_000)}`]) {
    const marks = [{ start: endless.length - 4, end: endless.length - 2 }]
    for (const excerpt of [excerptOf(endless, []), excerptOf(endless, marks)]) {
      expect(excerpt.text.length).toBeLessThan(600)
      expect(excerpt.text.isWellFormed()).toBe(true)
      expect(marked(excerpt).every((word) => word.length === 2)).toBe(true)
    }
  }
})
