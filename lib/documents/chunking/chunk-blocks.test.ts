import { expect, test } from "vitest"
import { randomFrom } from "../../random.ts"
import type { AssembledChunk, AssembledDocument } from "../assembled-document.ts"
import type { Block, ReadDocument, Span } from "../block.ts"
import { CHUNK_CHARS_MAX } from "../index-request.ts"
import { chunkBlocks } from "./chunk-blocks.ts"
import { chunkSizes } from "./chunk-sizes.ts"
import type { ChunkOptions } from "./measure.ts"

const byWord = (text: string) => text.split(/\s+/).filter((word) => word !== "" && word !== "|").length
const TOKENS: ChunkOptions = {
  title: "",
  tokensMax: 512,
  flat: false,
  chunkChars: null,
  overlapChars: 0,
  parentChars: null,
}
/** Room of a child without title and headings. */
const ROOM = 253

const SIZE = { width: 600, height: 800 }

/** Places words on pages of two columns, 40 lines of 5 words each. */
function createPlacer() {
  let at = 0
  return (text: string): Span[] =>
    [...text.matchAll(/[^\s|]+/g)].map((match) => {
      const line = Math.floor(at / 5)
      const column = Math.floor(line / 40)
      const x0 = 40 + (column % 2) * 270 + (at % 5) * 50
      const y0 = 40 + (line % 40) * 18
      at++
      return {
        start: match.index,
        end: match.index + match[0].length,
        page: 1 + (column >> 1),
        column,
        x0,
        y0,
        x1: x0 + 45,
        y1: y0 + 12,
      }
    })
}

type Draft = Pick<Block, "kind" | "text"> & Partial<Block>

function documentOf(drafts: readonly Draft[]): ReadDocument {
  const place = createPlacer()
  const blocks = drafts.map((draft): Block => ({ level: 0, table: null, spans: place(draft.text), ...draft }))
  const last = Math.max(1, ...blocks.flatMap((block) => block.spans.map((span) => span.page)))
  const pages = Array.from({ length: last }, (_, i) => ({ number: i + 1, ...SIZE }))
  return { title: null, language: null, blocks, pages, warnings: [] }
}

const text = (text: string): Draft => ({ kind: "text", text })
const heading = (level: number, text: string): Draft => ({ kind: "heading", level, text })

function table(rows: readonly (readonly string[])[], headerRows: number): Draft {
  return { kind: "table", text: rows.map((row) => row.join(" | ")).join("\n"), table: { rows, headerRows } }
}

let counter = 0
/** A paragraph of sentences of about eight words, each word there only once. */
function paragraph(words: number): string {
  return Array.from(
    { length: words },
    (_, i) => `${i % 8 === 0 ? "W" : "w"}${counter++}${i % 8 === 7 ? "." : ""}`,
  ).join(" ")
}

const bare = (text: string) => text.replace(/[\s|]+/g, "")

/** What the chunks hold, without the heads that tables repeat. */
function contentsWithoutHeads(document: ReadDocument, chunks: readonly AssembledChunk[]): string {
  const tables = document.blocks.filter((block) => block.kind === "table")
  const seen = new Set<number>()
  return chunks
    .map(({ content, table: number }) => {
      const block = tables[(number ?? 0) - 1]
      if (number === null || !block?.table) return content
      const head = block.text.split("\n").slice(0, block.table.headerRows).join("\n")
      if (!seen.has(number)) {
        seen.add(number)
        return content
      }
      return content.startsWith(head) ? content.slice(head.length) : content
    })
    .join("\n")
}

function headWords(blocks: readonly Block[]): Set<string> {
  const heads = blocks.flatMap(({ table }) => table?.rows.slice(0, table.headerRows) ?? [])
  return new Set(heads.flat().flatMap((cell) => cell.split(" ")))
}

function expectWordsInRegions({ blocks }: ReadDocument, { chunks }: AssembledDocument): void {
  const places = new Map(
    blocks.flatMap((block) => block.spans.map((span) => [block.text.slice(span.start, span.end), span])),
  )
  const heads = headWords(blocks)
  const outside: string[] = []
  for (const { content, regions } of chunks) {
    for (const word of content.split(/[\s|]+/).filter(Boolean)) {
      const span = places.get(word)
      // A head stands where its first part is.
      if (!span || heads.has(word)) continue
      const inside = regions.some(
        ({ page, x0, y0, x1, y1 }) =>
          page === span.page &&
          x0 * SIZE.width <= span.x0 + 1e-6 &&
          y0 * SIZE.height <= span.y0 + 1e-6 &&
          x1 * SIZE.width >= span.x1 - 1e-6 &&
          y1 * SIZE.height >= span.y1 - 1e-6,
      )
      if (!inside) outside.push(word)
    }
  }
  expect(outside).toEqual([])
}

test("a short document is one chunk without a parent", async () => {
  const document = documentOf([heading(1, "Mills"), text(paragraph(300)), heading(1, "Ships"), text(paragraph(40))])
  const { chunks, parents } = await chunkBlocks(document, TOKENS, byWord)
  expect(chunks).toHaveLength(1)
  expect(chunks[0]).toMatchObject({ kind: "text", parent: null, headings: [] })
  expect(parents).toEqual([])
})

test("headings ride with the text under them and are its path", async () => {
  const document = documentOf([
    heading(1, "The Book"),
    heading(2, "One"),
    text(paragraph(200)),
    heading(2, "Two"),
    heading(3, "Deep"),
    text(paragraph(200)),
    text(paragraph(200)),
    heading(2, "Three"),
    text(paragraph(200)),
  ])
  const { chunks } = await chunkBlocks(document, TOKENS, byWord)
  expect(chunks.map(({ headings, content }) => [content.split("\n\n").slice(0, -1), headings])).toEqual([
    [
      ["The Book", "One"],
      ["The Book", "One"],
    ],
    [
      ["Two", "Deep"],
      ["The Book", "Two", "Deep"],
    ],
    [[], ["The Book", "Two", "Deep"]],
    [["Three"], ["The Book", "Three"]],
  ])
})

test("no chunk and no parent crosses a section of the highest level, but tiny sections are joined", async () => {
  const sections = [500, 300, 900, 10, 12, 400].map((words, i) => [heading(1, `Section${i}`), text(paragraph(words))])
  const document = documentOf(sections.flat())
  const { chunks, parents } = await chunkBlocks(document, TOKENS, byWord)
  const sectionsIn = (content: string) => content.match(/Section\d/g)?.join(" ") ?? ""
  expect(parents.map(({ content }) => sectionsIn(content)).filter(Boolean)).toEqual([
    "Section0",
    "Section1",
    "Section2 Section3 Section4",
    "Section5",
  ])
  for (const { content, headings } of chunks) {
    const found = sectionsIn(content)
    if (found.includes(" ")) expect(headings).toEqual([])
    else expect(headings.join(" ")).toContain(found)
  }
})

test("children stay inside their parent, and a parent is what its children say", async () => {
  const document = documentOf(
    Array.from({ length: 60 }, (_, i) => (i % 15 ? text(paragraph(20 + i * 3)) : heading(1, `H${i}`))),
  )
  const { chunks, parents } = await chunkBlocks(document, TOKENS, byWord)
  expect(parents.length).toBeGreaterThan(3)
  for (const [i, parent] of parents.entries()) {
    const own = chunks.filter((chunk) => chunk.parent === i)
    expect(own.length).toBeGreaterThan(1)
    expect(bare(own.map(({ content }) => content).join(""))).toBe(bare(parent.content))
    expect(byWord(parent.content)).toBeLessThanOrEqual(1_024)
  }
})

test("every part of a table repeats its head, and only rows of that table stand in it", async () => {
  const rows = [
    ["Name", "Height"],
    ...Array.from({ length: 300 }, (_, i) => [`mill${i} on${i} coast${i}`, `${i}m high${i}`]),
  ]
  const document = documentOf([text(paragraph(300)), table(rows, 1), text(paragraph(300))])
  const { chunks, tables } = await chunkBlocks(document, TOKENS, byWord)
  const parts = chunks.filter((chunk) => chunk.kind === "table")
  expect(parts.length).toBeGreaterThan(3)
  for (const { content, table: number } of parts) {
    expect(content).toMatch(/^Name \| Height\n(?:mill\d+ on\d+ coast\d+ \| \d+m high\d+\n?)+$/)
    expect(number).toBe(1)
  }
  expect(tables).toEqual([{ number: 1, rows, headerRows: 1, firstPage: 1, lastPage: expect.any(Number) }])
  expectWordsInRegions(document, await chunkBlocks(document, TOKENS, byWord))
})

test("a row longer than a chunk is cut between its cells, each under its name, and within a cell that is longer", async () => {
  const cells = [paragraph(200), paragraph(900), paragraph(30)]
  const document = documentOf([table([["First", "Second", "Third"], ["a", "b", "c"], cells], 1)])
  const { chunks } = await chunkBlocks(document, TOKENS, byWord)
  for (const { content, kind } of chunks) {
    expect(kind).toBe("table")
    expect(byWord(content)).toBeLessThanOrEqual(ROOM)
    const [names, ...body] = content.split("\n")
    expect(names).toMatch(/^(First|Second|Third)( \| (First|Second|Third))*$/)
    for (const [i, part] of body.join("\n").split(" | ").entries()) {
      const column = ["First", "Second", "Third"].indexOf(names?.split(" | ")[i] ?? "")
      expect([cells[column], "a", "b", "c"].some((cell) => cell?.includes(part))).toBe(true)
    }
  }
  const all = bare(chunks.map(({ content }) => content.replace(/^(First|Second|Third).*\n/, "")).join(""))
  expect(all).toBe(bare(["a", "b", "c", ...cells].join("")))
})

test("a figure with a caption is a chunk with its picture as region, one without any words is none", async () => {
  const picture = { start: 0, end: 0, page: 1, column: 9, x0: 60, y0: 80, x1: 300, y1: 400 }
  const document = documentOf([
    text(paragraph(300)),
    { kind: "figure", text: "Figure 1: a mill", spans: [picture] },
    { kind: "figure", text: "", spans: [picture] },
    text(paragraph(300)),
  ])
  const { chunks } = await chunkBlocks(document, TOKENS, byWord)
  const figures = chunks.filter((chunk) => chunk.kind === "figure")
  expect(figures.map(({ content, regions }) => ({ content, regions }))).toEqual([
    { content: "Figure 1: a mill", regions: [{ page: 1, x0: 0.1, y0: 0.1, x1: 0.5, y1: 0.5 }] },
  ])
})

test("regions are of each page and column apart, in reading order, and cut at the page's edge", async () => {
  const words = paragraph(300)
  const document = documentOf([text(words)])
  const [block] = document.blocks
  const spans = block?.spans.map((span, i) => (i === 0 ? { ...span, x0: -50, y1: 9_000 } : span)) ?? []
  const { chunks } = await chunkBlocks({ ...document, blocks: [{ ...(block as Block), spans }] }, TOKENS, byWord)
  expect(chunks[0]?.regions).toEqual([
    { page: 1, x0: 0, y0: 0.05, x1: expect.closeTo(285 / 600), y1: 1 },
    { page: 1, x0: expect.closeTo(310 / 600), y0: 0.05, x1: expect.closeTo(555 / 600), y1: expect.any(Number) },
  ])
})

test("by characters, children overlap by words of the text before and parents don't", async () => {
  const document = documentOf(Array.from({ length: 30 }, () => text(paragraph(60))))
  const options = { ...TOKENS, chunkChars: 500, overlapChars: 100, parentChars: 2_000 }
  const { chunks, parents } = await chunkBlocks(document, options, byWord)
  expect(bare(parents.map(({ content }) => content).join(""))).toBe(
    bare(document.blocks.map((block) => block.text).join("")),
  )
  for (const { content } of parents) expect(content.length).toBeLessThanOrEqual(2_000)
  let overlaps = 0
  for (const [i, chunk] of chunks.entries()) {
    expect(chunk.content.length).toBeLessThanOrEqual(500)
    const before = chunks[i - 1]
    if (!before || before.parent !== chunk.parent) continue
    const words = chunk.content.split(/\s+/)
    const last = before.content.split(/\s+/).at(-1) ?? ""
    const shared = words.slice(0, words.indexOf(last) + 1)
    expect(shared.length).toBeGreaterThan(5)
    expect(before.content.split(/\s+/).slice(-shared.length)).toEqual(shared)
    overlaps++
  }
  expect(overlaps).toBeGreaterThan(10)
  expectWordsInRegions(document, { chunks, parents, tables: [] })
})

test("flat mode has no parents", async () => {
  const document = documentOf(Array.from({ length: 30 }, () => text(paragraph(60))))
  const { chunks, parents } = await chunkBlocks(document, { ...TOKENS, flat: true }, byWord)
  expect(parents).toEqual([])
  expect(chunks.every((chunk) => chunk.parent === null)).toBe(true)
  expect(chunks.length).toBeGreaterThan(7)
})

function randomDocument(random: () => number): ReadDocument {
  const pick = (most: number) => Math.floor(random() * most)
  const drafts = Array.from({ length: 1 + pick(40) }, (): Draft => {
    const kind = random()
    if (kind < 0.2) return heading(1 + pick(6), paragraph(1 + pick(random() < 0.05 ? 300 : 8)))
    if (kind < 0.3) {
      const columns = 1 + pick(5)
      const cells = () => Array.from({ length: columns }, () => paragraph(pick(random() < 0.02 ? 400 : 6)))
      return table(Array.from({ length: 1 + pick(60) }, cells), pick(3))
    }
    if (kind < 0.35) return { kind: "figure", text: paragraph(pick(20)) }
    return text(random() < 0.05 ? `x${"é".repeat(pick(30_000))}` : paragraph(pick(random() < 0.1 ? 2_000 : 120)))
  })
  return documentOf(drafts)
}

test("of any document nothing is lost, nothing is out of order, and no chunk is over its limits", async () => {
  const random = randomFrom(5)
  for (let round = 0; round < 15; round++) {
    const document = randomDocument(random)
    const title = paragraph(Math.floor(random() * 40))
    const size = 200 + Math.floor(random() * 2_000)
    const byChars = { chunkChars: size, overlapChars: 0, parentChars: size * (1 + Math.floor(random() * 4)) }
    const options = { ...TOKENS, title, flat: random() < 0.3, ...(random() < 0.4 && byChars) }
    const assembled = await chunkBlocks(document, options, byWord)
    const { chunks, parents } = assembled
    const [held, all] = [
      contentsWithoutHeads(document, chunks),
      document.blocks.map((block) => block.text).join("\n"),
    ].map(bare)
    // Parts of a long row bring the names of their cells: then all other words are there once and in order.
    if (!isNamed(document, chunks)) expect(held).toBe(all)
    const heads = headWords(document.blocks)
    const wordsOf = (parts: readonly string[]) =>
      parts.flatMap((part) => part.match(/W?w?\d+\.?/g) ?? []).filter((word) => !heads.has(word))
    expect(wordsOf(chunks.map((chunk) => chunk.content))).toEqual(wordsOf(document.blocks.map((block) => block.text)))
    for (const chunk of chunks) {
      expect(chunk.content.trim()).not.toBe("")
      expect(chunk.content.length).toBeLessThanOrEqual(options.chunkChars ?? CHUNK_CHARS_MAX)
      if (options.chunkChars === null)
        expect(byWord(chunk.content)).toBeLessThanOrEqual(chunks.length === 1 ? 400 : ROOM)
      expect(chunk.parent === null || parents[chunk.parent] !== undefined).toBe(true)
    }
    for (const parent of parents)
      expect(parent.content.length).toBeLessThanOrEqual(options.parentChars ?? CHUNK_CHARS_MAX)
    expectWordsInRegions(document, assembled)
  }
})

/** Whether a row was cut between its cells. */
function isNamed({ blocks }: ReadDocument, chunks: readonly AssembledChunk[]): boolean {
  const rows = new Set(blocks.flatMap((block) => (block.table ? block.text.split("\n") : [])))
  return chunks.some(
    (chunk) => chunk.kind === "table" && chunk.content.split("\n").some((line) => line !== "" && !rows.has(line)),
  )
}

test("others get a turn while a long document is cut", async () => {
  const document = documentOf([text(Array.from({ length: 40_000 }, (_, i) => `word${i}.`).join(" "))])
  let turns = 0
  const timer = setInterval(() => turns++, 1)
  await chunkBlocks(document, TOKENS, byWord)
  clearInterval(timer)
  expect(turns).toBeGreaterThan(2)
})

test("settings in characters decide where they are set, tokens where they aren't", () => {
  expect(chunkSizes({})).toEqual({ chunkChars: null, overlapChars: 0, parentChars: null })
  expect(chunkSizes({ chunkOverlap: 50 })).toEqual({ chunkChars: null, overlapChars: 0, parentChars: null })
  expect(chunkSizes({ chunkSize: 600, chunkOverlap: 50 })).toEqual({
    chunkChars: 600,
    overlapChars: 50,
    parentChars: 2_400,
  })
  expect(chunkSizes({ chunkSize: 600, parentChunkSize: 900 })).toEqual({
    chunkChars: 600,
    overlapChars: 0,
    parentChars: 900,
  })
})
