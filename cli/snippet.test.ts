import { expect, test } from "vitest"
import { formatSnippet } from "./snippet.ts"

const options = { width: 30, lines: 2, emphasize: (text: string) => `<${text}>` }

function marksOf(content: string, ...words: string[]) {
  return words.flatMap((word) =>
    [...content.matchAll(new RegExp(word, "g"))].map(({ index }) => ({ start: index, end: index + word.length })),
  )
}

test("a short passage is shown whole, its words marked where they stand", () => {
  const content = "The lighthouse's lamp\n\nburns   paraffin."
  expect(formatSnippet(content, marksOf(content, "lighthouse", "paraffin"), options)).toEqual([
    "The <lighthouse>'s lamp burns",
    "<paraffin>.",
  ])
})

test("of a long passage the part with the most marked words is shown, with some words before it", () => {
  const filler = "one two three four five six seven eight nine ten ".repeat(6)
  const content = `${filler}fog and the horn of the lighthouse ${filler}`
  const lines = formatSnippet(content, marksOf(content, "fog", "horn", "lighthouse"), options)
  expect(lines).toHaveLength(2)
  expect(lines.join(" ")).toMatch(/^… .*ten <fog> and the <horn> of the <lighthouse>.* …$/)
  for (const line of lines) expect(line.replace(/[<>]/g, "").length).toBeLessThanOrEqual(options.width)
})

test("without marks the beginning is shown", () => {
  expect(formatSnippet("a b c", [], options)).toEqual(["a b c"])
  expect(formatSnippet("", [], options)).toEqual([])
})

test("a word longer than a line stands on its own line, and loses nothing", () => {
  const long = "x".repeat(50)
  expect(formatSnippet(`a ${long} b`, [], { ...options, lines: 3 })).toEqual(["a", long, "b"])
})

test("control characters of a document never reach the terminal", () => {
  const [line] = formatSnippet("ring \u001b]0;title\u0007the bell", [{ start: 0, end: 8 }], options)
  expect(line).not.toMatch(/\p{Cc}/u)
})
