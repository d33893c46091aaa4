import { describe, expect, test } from "vitest"
import { renderBlocks } from "../../../tests/render-document.ts"
import { decodeText } from "./decode-text.ts"
import { readText } from "./read-text.ts"

const blocks = (text: string) => renderBlocks(readText(new TextEncoder().encode(text)))
const PROSE = `It was the best of times, it was the worst of times, it was the age
of wisdom, it was the age of foolishness, it was the epoch of belief,
it was the epoch of incredulity.`

describe("plain text", () => {
  test.each([
    ["wrapped lines are joined", PROSE, [PROSE.replaceAll("\n", " ")]],
    ["a first line may be indented", `    ${PROSE}`, [PROSE.replaceAll("\n", " ")]],
    [
      "verse keeps its lines",
      "Alma minha gentil, que te partiste\nTão cedo desta vida descontente,\nRepousa lá no Céu eternamente",
      ["Alma minha gentil, que te partiste\nTão cedo desta vida descontente,\nRepousa lá no Céu eternamente"],
    ],
    ["code and columns keep theirs", "name        price\nbread        1.20", ["name        price\nbread        1.20"]],
    [
      "wrapped items of a list are joined each",
      "- one item that is long enough to have been wrapped by\n  its author\n- two",
      ["- one item that is long enough to have been wrapped by its author\n- two"],
    ],
    ["a form feed parts paragraphs", "a\fb", ["a", "b"]],
    ["underlined lines are headings", "Title\n=====\n\nSection\n-------\ntext", ["# Title", "## Section", "text"]],
    ["so are overlined ones", "=====\nTitle\n=====\n\nx", ["# Title", "x"]],
    [
      "and chapters, numbers over one level, capitals",
      "CHAPTER IV\n\nCapítulo 2 – O livro\n\n3.1 Scope\n\n1. INTRODUCTION\n\nCONTENTS\n\nx",
      ["# CHAPTER IV", "# Capítulo 2 – O livro", "## 3.1 Scope", "# 1. INTRODUCTION", "## CONTENTS", "x"],
    ],
    [
      "shouts, items and dates are none",
      "STOP!\n\n1. Take an egg\n\n10 May\n\nOK\n\nUSA 1999\n\n2.5 kg of flour",
      ["STOP!", "1. Take an egg", "10 May", "OK", "USA 1999", "2.5 kg of flour"],
    ],
    ["a rule is no underline", "a b c d e f g h i j k\n---", ["a b c d e f g h i j k\n---"]],
  ])("%s", (_, text, expected) => expect(blocks(text)).toEqual(expected))

  test("lines that are paragraphs stay apart, long runs of lines are cut", () => {
    const line = "word ".repeat(50).trim()
    expect(blocks(`${line}\n${line}`)).toEqual([line, line])
    const log = Array.from({ length: 1_000 }, (_, index) => `${index} ok`)
    const found = blocks(log.join("\n"))
    expect(found.length).toBeGreaterThan(1)
    expect(found.join("\n")).toBe(log.join("\n"))
  })
  test("a Project Gutenberg book gives its title and language", () => {
    const book = `The Project Gutenberg eBook of Dom Casmurro\n\nTitle: Dom Casmurro\n\nLanguage: Portuguese\n\nx`
    expect(readText(Buffer.from(book))).toMatchObject({ title: "Dom Casmurro", language: "pt" })
  })
  test("bytes that are no text are refused", () => {
    expect(() => readText(Uint8Array.from({ length: 1_000 }, (_, index) => index % 32))).toThrow("isn't text")
  })
})

describe("encodings", () => {
  test.each([
    ["UTF-8", Buffer.from("ação")],
    ["UTF-8 with a mark", Buffer.from("\ufeffação")],
    ["UTF-16, little end first", Buffer.from("\ufeffação", "utf16le")],
    ["UTF-16, big end first", Buffer.from("\ufeffação", "utf16le").swap16()],
    ["UTF-16 without a mark", Buffer.from("ação", "utf16le")],
    ["windows-1252", Buffer.from("a\xe7\xe3o", "latin1")],
  ])("%s is told by content", (_, bytes) => expect(decodeText(bytes)).toBe("ação"))

  test("an unknown or impossible declaration counts for nothing", () => {
    expect(decodeText(Buffer.from("é"), "klingon")).toBe("é")
    expect(decodeText(Buffer.from("é"), "utf-16")).toBe("é")
  })
})
