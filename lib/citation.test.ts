import { expect, test } from "vitest"
import { formatCitation, parseCitation } from "./citation.ts"

test("names document, page and chunk; without a page the document and the chunk", () => {
  expect(formatCitation({ documentId: "report", chunkId: "c0042", page: 7 })).toBe("[[report/p007#c0042]]")
  expect(formatCitation({ documentId: "report", chunkId: "c0042", page: 1_234 })).toBe("[[report/p1234#c0042]]")
  expect(formatCitation({ documentId: "report", chunkId: "c0042" })).toBe("[[report#c0042]]")
})

test("nothing in an id can end the citation or pass for another part of it", () => {
  expect(formatCitation({ documentId: "a/b#c]] [[d", chunkId: "c1" })).toBe("[[a%2Fb%23c%5D%5D %5B%5Bd#c1]]")
  expect(formatCitation({ documentId: "a/p001", chunkId: "c1" })).not.toBe(
    formatCitation({ documentId: "a", chunkId: "c1", page: 1 }),
  )
  expect(formatCitation({ documentId: "50%2F", chunkId: "c1" })).not.toBe(
    formatCitation({ documentId: "50/", chunkId: "c1" }),
  )
})

test.each(["a/b", "100%", "[x]", "#1", "😀 é", "%2F", "line\nbreak"])(
  "%j reads back by undoing percent escapes",
  (id) => {
    const cited = formatCitation({ documentId: id, chunkId: "c0001", page: 3 })
    const part = /^\[\[([^/#\]]*)\/p003#c0001\]\]$/s.exec(cited)?.[1]
    expect(decodeURIComponent(part ?? "")).toBe(id)
  },
)

test.each([
  { documentId: "report", chunkId: "c0042", page: 7 },
  { documentId: "report", chunkId: "c0042" },
  { documentId: "tides/spring 100% [x] #1 😀", chunkId: "c0001", page: 1_234 },
])("%j reads back, with its brackets and without", (cited) => {
  const text = formatCitation(cited)
  expect(parseCitation(text)).toEqual(cited)
  expect(parseCitation(text.slice(2, -2))).toEqual(cited)
})

test.each(["", "report", "[[report]]", "[[a/b/p001#c1]]", "[[a#b#c]]", "50%zz#c1", "[[#c1]]"])(
  "%j is no citation",
  (text) => {
    expect(parseCitation(text)).toBeNull()
  },
)
