import { expect, test } from "vitest"
import { refusalOf } from "./refusal.ts"

const file = (name: string, size = 10) => ({ name, size })

test("an empty file, one over the server's limit and what is never read are refused before they are sent", () => {
  expect(refusalOf(file("a.pdf", 0), 100)).toBe("The file is empty.")
  expect(refusalOf(file("a.pdf", 200_000_001), 200_000_000)).toMatch(/200 MB. This server takes at most 200 MB/)
  expect(refusalOf(file("Letter.DOC"), 100)).toMatch(/Save it as DOCX/)
  expect(refusalOf(file("film.mp4"), 100)).toMatch(/only pages and text/)
})

test("what the server may judge is sent, and any size while nobody knows the limit", () => {
  for (const name of ["a.pdf", "scan.TIFF", "x.docx", "notes", "data.unknown", "my.doc.txt", "bundle.zip"]) {
    expect(refusalOf(file(name, 100), 100)).toBeNull()
  }
  expect(refusalOf(file("a.pdf", 1e12), null)).toBeNull()
})
