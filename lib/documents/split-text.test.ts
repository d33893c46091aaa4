import { expect, test } from "vitest"
import { randomFrom } from "../random.ts"
import { splitText } from "./split-text.ts"

/** Four characters a token, as for a text without a model. */
const byLength = (text: string) => Math.ceil(text.length / 4)
const byWord = (text: string) => text.split(/\s+/).filter(Boolean).length

const PARTS = [
  "wind",
  "mill.",
  "Ship!",
  "é",
  "\n\n",
  " ",
  "\t",
  "😀",
  "𝔴𝔦𝔫𝔡",
  "x".repeat(300),
  "Mr. Smith",
  "、",
  "\u00a0",
  "no?",
]

function randomText(random: () => number, length: number): string {
  let text = "start "
  while (text.length < length) text += `${PARTS[Math.floor(random() * PARTS.length)]}${random() < 0.7 ? " " : ""}`
  return text
}

const bare = (text: string) => text.replace(/\s+/g, "")

test("a text that fits is one chunk, exactly as it was", () => {
  const text = "  Two lines.\n\nOf text. \n"
  expect(splitText(text, 100, 1_000, byWord)).toEqual([text])
})

test("no chunk is over either limit, nothing but white space is lost, and no surrogate pair is parted", () => {
  const random = randomFrom(1)
  for (let round = 0; round < 150; round++) {
    const text = randomText(random, 200 + random() * 6_000)
    const tokensMax = 8 + Math.floor(random() * 120)
    const charsMax = 40 + Math.floor(random() * 1_000)
    const count = random() < 0.5 ? byLength : byWord
    const chunks = splitText(text, tokensMax, charsMax, count)
    for (const chunk of chunks) {
      expect(count(chunk)).toBeLessThanOrEqual(tokensMax)
      expect(chunk.length).toBeLessThanOrEqual(charsMax)
      expect(chunk.isWellFormed()).toBe(true)
      expect(chunk.trim()).not.toBe("")
    }
    expect(bare(chunks.join(""))).toBe(bare(text))
  }
})

test("chunks end at the ends of sentences where they can, and at those of paragraphs", () => {
  const sentence = (n: number) => `Sentence number ${n} says five words.`
  const text = Array.from({ length: 40 }, (_, i) => sentence(i)).join(" ")
  for (const chunk of splitText(text, 30, 10_000, byWord)) expect(chunk).toMatch(/^Sentence .*words\.$/s)
})

test("between words where a sentence is too long, and within a word only when it is longer than a chunk", () => {
  const text = Array.from({ length: 300 }, (_, i) => `word${i}`).join(" ")
  for (const chunk of splitText(text, 20, 10_000, byWord)) expect(chunk).toMatch(/^word\d+( word\d+)*$/)
  expect(splitText("x".repeat(1_000), 50, 100, byLength).join("")).toBe("x".repeat(1_000))
})

test("chunks come out about equally long: no short last one", () => {
  for (let sentences = 11; sentences < 150; sentences += 9) {
    const text = Array.from({ length: sentences }, (_, i) => `Sentence ${i} of ten words stands here for a while.`)
    const lengths = splitText(text.join(" "), 100, 100_000, byWord).map(byWord)
    expect(lengths.length).toBe(Math.ceil(sentences / 10))
    expect(Math.min(...lengths)).toBeGreaterThanOrEqual(0.5 * Math.max(...lengths))
  }
})

test.each([
  ["sentences", "The mill stands on the ridge. ".repeat(66_667)],
  ["one word", "x".repeat(2_000_000)],
  ["no sentence end", "wind mill ".repeat(200_000)],
  ["white space", `a${" ".repeat(2_000_000)}b`],
  ["emoji", "😀".repeat(1_000_000)],
  ["lines", "a\n".repeat(1_000_000)],
])("2 MB of %s are split in seconds", (_, text) => {
  const from = performance.now()
  const chunks = splitText(text, 256, 32_000, byLength)
  expect(performance.now() - from).toBeLessThan(30_000)
  expect(bare(chunks.join(""))).toBe(bare(text))
})

test("without a limit of tokens that of characters still holds", () => {
  const text = "The wind turns the mill. ".repeat(100)
  const chunks = splitText(text, Number.POSITIVE_INFINITY, 1_000, byWord)
  expect(chunks.map((chunk) => chunk.length <= 1_000)).toEqual([true, true, true])
})
