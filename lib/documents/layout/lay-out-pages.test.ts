import { expect, test } from "vitest"
import { randomFrom } from "../../random.ts"
import type { ReadDocument } from "../block.ts"
import type { Box, PageText, Word } from "../page.ts"
import { layOutPages } from "./lay-out-pages.ts"

const WIDTH = 600
const HEIGHT = 800
/** Of a text at 1 point; letters differ in width, so that nothing looks monospaced by chance. */
const widthOf = (text: string) => [...text].reduce((sum, c) => sum + 0.3 + (c.charCodeAt(0) % 9) * 0.05, 0)

/** A number in letters: running heads are compared with their digits masked. */
const inLetters = (n: number) => [...`${n}`].map((digit) => "bcdfghjklm"[Number(digit)]).join("")

interface Style {
  readonly size?: number
  readonly bold?: boolean
  readonly pitch?: number
}

/** One line of text at (x, y), its words as a PDF has them. */
function line(text: string, x: number, y: number, { size = 10, bold = false, pitch }: Style = {}): Word[] {
  const words: Word[] = []
  let at = x
  for (const part of text.split(" ")) {
    const width = pitch ? pitch * part.length : widthOf(part) * size
    if (part !== "") {
      const hyphenated = /\p{L}-$/u.test(part) && text.endsWith(part)
      words.push({ text: part, x0: at, y0: y, x1: at + width, y1: y + size, fontSize: size, bold, hyphenated })
    }
    at += width + (pitch ?? 0.25 * size)
  }
  return words
}

/** Lines below each other, 12 points apart. */
function lines(texts: readonly string[], x: number, y: number, style?: Style): Word[] {
  return texts.flatMap((text, i) => line(text, x, y + i * 12, style))
}

function page(words: readonly Word[], more: Partial<PageText> = {}): PageText {
  return {
    number: 1,
    width: WIDTH,
    height: HEIGHT,
    source: "embedded",
    confidence: null,
    words,
    figures: [],
    rules: [],
    ...more,
  }
}

const pagesOf = (...pages: readonly (readonly Word[])[]) => pages.map((words, i) => page(words, { number: i + 1 }))
const texts = (document: ReadDocument) => document.blocks.map((block) => block.text)

/** A text of `count` lines about `width` points wide, words numbered from `from`. */
function prose(count: number, name: string, width = 230): string[] {
  let n = 0
  return Array.from({ length: count }, () => {
    let text = ""
    while (widthOf(text) * 10 < width - 30) text += `${text === "" ? "" : " "}${name}${inLetters(n++)}`
    return text
  })
}

function shuffled<Item>(items: readonly Item[], random: () => number): Item[] {
  return items
    .map((item) => ({ item, key: random() }))
    .sort((a, b) => a.key - b.key)
    .map(({ item }) => item)
}

const sameBox = (a: Box, b: Box) => a.x0 === b.x0 && a.y0 === b.y0 && a.x1 === b.x1 && a.y1 === b.y1

test("two columns below a title that spans them are read one after the other, in any order of the file", () => {
  const left = prose(20, "left")
  const right = prose(20, "right")
  const title = line("A title that goes over both of the columns", 100, 50, { size: 20 })
  const words = [...title, ...lines(left, 50, 100), ...lines(right, 320, 106)]
  const expected = ["A title that goes over both of the columns", left.join(" "), right.join(" ")].join(" ")
  for (const order of [words, shuffled(words, randomFrom(3))]) {
    expect(texts(layOutPages([page(order)])).join(" ")).toBe(expected)
  }
})

test("a heading across the page parts the columns above it from those below", () => {
  const parts = ["a", "b", "c", "d"].map((name) => prose(8, name))
  const [a, b, c, d] = parts
  const heading = line("This heading stands across the whole page and more", 100, 220, { size: 16 })
  const words = [
    ...lines(a ?? [], 50, 100),
    ...lines(b ?? [], 320, 100),
    ...heading,
    ...lines(c ?? [], 50, 260),
    ...lines(d ?? [], 320, 260),
  ]
  const order = texts(layOutPages([page(words)]))
    .join(" ")
    .split(" ")
  const firsts = ["ab", "bb", "This", "cb", "db"].map((word) => order.indexOf(word))
  expect(firsts).toEqual(firsts.toSorted((x, y) => x - y))
})

test("running heads and feet with their numbers are dropped, the only text of a page never", () => {
  const bodies = [1, 2, 3, 4].map((n) => [...prose(9, `p${inLetters(n)}w`), "It ends here."])
  const pages = pagesOf(
    ...bodies.map((body, i) => [
      ...line(`The Windmills of Faial ${i + 1}`, 200, 30),
      ...lines(body, 50, 100, {}),
      ...line(`${i + 10}`, 300, 770),
    ]),
    line("The Windmills of Faial 5", 200, 30),
  )
  expect(texts(layOutPages(pages))).toEqual([...bodies.map((body) => body.join(" ")), "The Windmills of Faial 5"])
})

test("a line that begins every page's text alike but further down than the edge stays", () => {
  const pages = pagesOf(...[1, 2, 3].map(() => [...line("Question", 50, 300), ...line("Why does it turn?", 50, 312)]))
  expect(texts(layOutPages(pages)).join(" ")).toBe(
    "Question Why does it turn? Question Why does it turn? Question Why does it turn?",
  )
})

test("a hyphen that only breaks a line goes, with both halves kept in their places", () => {
  const document = layOutPages([
    page(
      lines(
        [
          "The keeper of the wind-",
          "mill was old. He had a",
          "well-known voice, a well-",
          "known face and Jean-",
          "Paul as a name.",
        ],
        50,
        100,
      ),
    ),
  ])
  expect(texts(document)).toEqual([
    "The keeper of the windmill was old. He had a well-known voice, a well-known face and Jean-Paul as a name.",
  ])
  const [block] = document.blocks
  const spans = block?.spans.filter((span) => span.start < 27 && span.end > 19) ?? []
  expect(spans.map((span) => block?.text.slice(span.start, span.end))).toEqual(["wind", "mill"])
  expect(spans.map((span) => span.y0)).toEqual([100, 112])
})

test("a paragraph that a column or a page cuts is one, with a hyphen or without", () => {
  const left = [...prose(11, "left"), "and so the mill turned inces-"]
  const right = ["santly for ever.", ...prose(11, "right")]
  const next = ["which ended there.", "Another paragraph begins here."]
  const document = layOutPages(
    pagesOf(
      [...lines(left, 50, 100), ...lines(right, 320, 100)],
      [...lines(next.slice(0, 1), 50, 100), ...lines(next.slice(1), 50, 140)],
    ),
  )
  const [first, second, third] = document.blocks
  expect(first?.text).toMatch(/^leftb .* turned incessantly for ever\.$/)
  expect(new Set(first?.spans.map((span) => span.column)).size).toBe(2)
  expect(second?.text).toMatch(/^rightb .* which ended there\.$/)
  expect([...new Set(second?.spans.map((span) => span.page))]).toEqual([1, 2])
  expect(third?.text).toBe("Another paragraph begins here.")
})

test("paragraphs end at a wider step, an indent and another font size", () => {
  const document = layOutPages([
    page([
      ...lines(["One begins here and goes on", "to a second line for long."], 50, 100),
      ...lines(["Two is set off by a space that", "is wider than the others are."], 50, 134),
      ...line("Three has an indent and goes", 64, 158),
      ...line("on at the margin as before it.", 50, 170),
      ...line("Four is small as a note is.", 50, 182, { size: 7 }),
    ]),
  ])
  expect(texts(document).map((text) => text.split(" ")[0])).toEqual(["One", "Two", "Three", "Four"])
})

test("a word that recognition isn't sure of, as of a logo, is no heading", () => {
  const pages = (confidence: number) => [
    page(line("UeIqop", 100, 100, { size: 40 }), { source: "ocr", confidence }),
    page(lines(prose(12, "body"), 60, 60), { number: 2 }),
  ]
  const kinds = (confidence: number) => new Set(layOutPages(pages(confidence)).blocks.map(({ kind }) => kind))
  expect(kinds(41)).toEqual(new Set(["text"]))
  expect(kinds(90)).toEqual(new Set(["heading", "text"]))
})

test("headings have levels by size and weight, and by their numbers", () => {
  const document = layOutPages([
    page([
      ...line("The Book of Mills", 50, 40, { size: 24, bold: true }),
      ...line("1 Wind", 50, 100, { size: 16, bold: true }),
      ...lines(prose(3, "a"), 50, 130),
      ...line("1.1 Sails", 50, 180, { bold: true }),
      ...lines(prose(3, "b"), 50, 200),
      ...line("2 Water", 50, 260, { size: 16, bold: true }),
      ...lines(prose(3, "c"), 50, 290),
    ]),
  ])
  const headings = document.blocks
    .filter((block) => block.kind === "heading")
    .map(({ level, text }) => `${level} ${text}`)
  expect(headings).toEqual(["1 The Book of Mills", "2 1 Wind", "3 1.1 Sails", "2 2 Water"])
})

test("items of a list stand on lines of their own, also where they are numbered or wrap", () => {
  const document = layOutPages([
    page([
      ...line("What a mill needs is this:", 50, 100),
      ...line("• wind from the sea and", 60, 112),
      ...line("from the land", 70, 124),
      ...line("• corn", 60, 136),
      ...line("Then, in this order:", 50, 160),
      ...line("1. lift the brake", 60, 172),
      ...line("2. turn the cap", 60, 184),
    ]),
  ])
  expect(texts(document)).toEqual([
    "What a mill needs is this:",
    "• wind from the sea and from the land\n• corn",
    "Then, in this order:",
    "1. lift the brake\n2. turn the cap",
  ])
})

test("monospaced lines keep their breaks and their indents", () => {
  const document = layOutPages([
    page([
      ...lines(["Code stands below, as it is:"], 50, 80),
      ...line("for mill in mills:", 50, 112, { pitch: 6 }),
      ...line("if mill.turns:", 74, 124, { pitch: 6 }),
      ...line("print(mill.name)", 98, 136, { pitch: 6 }),
    ]),
  ])
  expect(texts(document)[1]).toBe("for mill in mills:\n    if mill.turns:\n        print(mill.name)")
})

const COUNTRIES = [
  ["Country", "Mills", "Since"],
  ["Portugal", "3,210", "1182"],
  ["Holland", "1,140", "1200"],
  ["Denmark", "80", "1259"],
]

function tableWords(rows: readonly (readonly string[])[], y: number): Word[] {
  return rows.flatMap((row, i) => row.flatMap((cell, column) => line(cell, 50 + column * 120, y + i * 14)))
}

test("columns that stand apart without ruling lines are a table with a head", () => {
  const document = layOutPages([
    page([
      ...line("The mills of three countries in this table.", 50, 60),
      ...tableWords(COUNTRIES, 100),
      ...lines(prose(4, "after", 400), 50, 180),
    ]),
  ])
  expect(document.blocks.map((block) => block.kind)).toEqual(["text", "table", "text"])
  expect(document.blocks[1]?.table).toEqual({ rows: COUNTRIES, headerRows: 1 })
  expect(document.blocks[1]?.text).toBe(COUNTRIES.map((row) => row.join(" | ")).join("\n"))
})

/** Ruling lines of a grid with these edges. */
function grid(xs: readonly number[], ys: readonly number[]): Box[] {
  const [left, right, top, bottom] = [xs[0] ?? 0, xs.at(-1) ?? 0, ys[0] ?? 0, ys.at(-1) ?? 0]
  return [
    ...xs.map((x) => ({ x0: x, x1: x + 1, y0: top, y1: bottom })),
    ...ys.map((y) => ({ x0: left, x1: right, y0: y, y1: y + 1 })),
  ]
}

test("cells between ruling lines hold all their lines, whatever stands beside them", () => {
  const words = [
    ...line("Part", 55, 105, { bold: true }),
    ...line("Use", 155, 105, { bold: true }),
    ...line("Sail", 55, 125),
    ...lines(["catches the wind", "and turns"], 155, 125),
    ...line("Brake", 55, 165),
    ...line("stops it", 155, 165),
  ]
  const rules = grid([50, 150, 300], [100, 120, 160, 180])
  expect(layOutPages([page(words, { rules })]).blocks[0]?.table).toEqual({
    rows: [
      ["Part", "Use"],
      ["Sail", "catches the wind and turns"],
      ["Brake", "stops it"],
    ],
    headerRows: 1,
  })
})

test("a table that goes on over pages is one, its repeated head and the page's feet gone", () => {
  const rows = (from: number) =>
    Array.from({ length: 5 }, (_, i) => [`Mill${from + i}`, `${(from + i) * 3}`, `${1800 + from + i}`])
  const head = ["Name", "Height", "Built"]
  const pages = pagesOf(
    [
      ...line("The heights of all mills follow in a table.", 50, 60),
      ...tableWords([head, ...rows(0)], 100),
      ...line("page 1", 300, 770),
    ],
    [...tableWords([head, ...rows(5)], 100), ...line("page 2", 300, 770)],
    [...tableWords([head, ...rows(10)], 100), ...line("page 3", 300, 770)],
  )
  const tables = layOutPages(pages).blocks.filter((block) => block.kind === "table")
  expect(tables.map((block) => block.table)).toEqual([
    { rows: [head, ...rows(0), ...rows(5), ...rows(10)], headerRows: 1 },
  ])
  expect([...new Set(tables[0]?.spans.map((span) => span.page))]).toEqual([1, 2, 3])
})

test("a figure has its box and its caption, one without a caption stands where it stands", () => {
  const figures = [
    { x0: 50, y0: 100, x1: 250, y1: 200 },
    { x0: 50, y0: 300, x1: 250, y1: 400 },
    { x0: 10, y0: 10, x1: 18, y1: 18 },
  ]
  const words = [
    ...line("Text above it.", 50, 60),
    ...line("Figure 1: a mill in the wind", 50, 210),
    ...line("Text between them.", 50, 260),
    ...line("Text below both.", 50, 440),
  ]
  const document = layOutPages([page(words, { figures })])
  expect(document.blocks.map(({ kind, text }) => `${kind} ${text}`)).toEqual([
    "text Text above it.",
    "figure Figure 1: a mill in the wind",
    "text Text between them.",
    "figure ",
    "text Text below both.",
  ])
  expect(document.blocks[1]?.spans[0]).toMatchObject({ start: 0, end: 0, page: 1, ...figures[0] })
  expect(document.blocks[3]?.spans).toMatchObject([{ start: 0, end: 0, page: 1, ...figures[1] }])
})

test("vertical text is read by itself, upwards or downwards, and does not break what stands upright", () => {
  const body = prose(12, "body", 400)
  const vertical = ["Reviewed", "manuscript", "version"]
  const upwards = vertical.map(
    (text, i): Word => ({
      text,
      x0: 20,
      x1: 30,
      y0: 600 - i * 60,
      y1: 655 - i * 60,
      fontSize: 10,
      bold: false,
      hyphenated: false,
    }),
  )
  const downwards = vertical.map(
    (text, i): Word => ({
      text,
      x0: 20,
      x1: 30,
      y0: 400 + i * 60,
      y1: 455 + i * 60,
      fontSize: 10,
      bold: false,
      hyphenated: false,
    }),
  )
  for (const margin of [upwards, downwards]) {
    const document = layOutPages([page([...margin, ...lines(body, 50, 100)])])
    expect(texts(document)).toEqual([body.join(" "), vertical.join(" ")])
    expect(document.blocks[1]?.spans.map(({ x0, y0 }) => [x0, y0])).toEqual(margin.map(({ x0, y0 }) => [x0, y0]))
  }
})

test("whatever stands on the pages, every word is read once, in its place, and spans hold their words", () => {
  const random = randomFrom(7)
  for (let round = 0; round < 24; round++) {
    const pages = pagesOf(
      ...Array.from({ length: 1 + Math.floor(random() * 3) }, (_, number) =>
        Array.from({ length: Math.floor(random() * 200) }, (_, i): Word => {
          const size = 4 + random() * 20
          const [x, y] =
            round % 2
              ? [random() * 560, random() * 780]
              : [Math.floor(random() * 6) * 95, Math.floor(random() * 40) * 20]
          const text = `w${inLetters(number)}x${inLetters(i)}z`
          const width = random() < 0.05 ? size : text.length * size * 0.5
          const height = random() < 0.05 ? 90 : size
          return {
            text,
            x0: x,
            y0: y,
            x1: Math.min(WIDTH, x + width),
            y1: Math.min(HEIGHT, y + height),
            fontSize: size,
            bold: random() < 0.2,
            hyphenated: false,
          }
        }),
      ),
    )
    const document = layOutPages(pages)
    const read = texts(document)
      .join(" ")
      .split(/[\s|]+/)
      .filter(Boolean)
    const given = pages.flatMap(({ words }) => words.map(({ text }) => text))
    expect(read.toSorted()).toEqual(given.toSorted())
    const places = new Map(
      pages.flatMap(({ number, words }) => words.map((word) => [word.text, { ...word, page: number }])),
    )
    const misplaced = document.blocks.flatMap(({ text, spans }) =>
      spans.filter((span, i) => {
        const word = places.get(text.slice(span.start, span.end))
        const isThere = word && word.page === span.page && sameBox(word, span)
        return !isThere || span.start < (spans[i - 1]?.end ?? 0)
      }),
    )
    expect(misplaced).toEqual([])
  }
})

test("broken boxes, texts and pages do no harm", () => {
  const broken = [Number.NaN, Number.POSITIVE_INFINITY, -5, 0, 1e9]
  const words = broken.flatMap((x) =>
    broken.map(
      (y): Word => ({
        text: "a\u0000b\ud800 c",
        x0: x,
        y0: y,
        x1: y,
        y1: x,
        fontSize: x,
        bold: false,
        hyphenated: true,
      }),
    ),
  )
  const boxes = broken.map((x): Box => ({ x0: x, y0: x, x1: -x, y1: 10 }))
  const pages = [page(words, { rules: boxes, figures: boxes }), page([], { width: Number.NaN, height: 0 })]
  for (const { text, spans } of layOutPages(pages).blocks) {
    expect(text.isWellFormed() && !text.includes("\u0000")).toBe(true)
    for (const { x0, y0, x1, y1 } of spans) expect(x0 <= x1 && y0 <= y1 && x1 <= WIDTH && y1 <= HEIGHT).toBe(true)
  }
})

test("100,000 words on a page are laid out, those over it are left out with a warning", () => {
  const many = Array.from({ length: 100_100 }, (_, i): Word => {
    const [x, y] = [(i % 300) * 2, Math.floor(i / 300) * 2]
    return { text: "word", x0: x, y0: y, x1: x + 1.5, y1: y + 1.5, fontSize: 1.5, bold: false, hyphenated: false }
  })
  const document = layOutPages([page(many)])
  const read = document.blocks.reduce((sum, block) => sum + block.spans.length, 0)
  expect(read).toBe(100_000)
  expect(document.warnings).toEqual(["page 1: 100 words over the limit of a page were left out"])
})
