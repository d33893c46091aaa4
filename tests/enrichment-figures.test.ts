import { PDFDocument, StandardFonts } from "pdf-lib"
import sharp from "sharp"
import { afterAll, beforeAll, expect, test } from "vitest"
import { startFakeLlm } from "./fake-llm.ts"
import { type Served, serve } from "./served.ts"

// The whole product over HTTP, with its own reader of PDFs; the language model alone is a double.

const DESCRIPTION = "A tall lamp with eight brass lenses stands on a stone floor; the label reads Fresnel 1931."
let described: string | null = DESCRIPTION
let seesPictures = true
let llm: Awaited<ReturnType<typeof startFakeLlm>>
let served: Served
beforeAll(async () => {
  llm = await startFakeLlm(({ name, user }) => {
    if (name === "figure_description") return seesPictures ? { content: { description: described } } : { status: 400 }
    const { passages } = JSON.parse(user) as { passages: { id: string }[] }
    return { content: { passages: passages.map(({ id }) => ({ id, translation: null, anomalies: [], entities: [] })) } }
  })
  served = await serve({
    environment: {
      EMBEDDING_MODEL: "none",
      RERANK_MODEL: "none",
      USE_VLLM: "true",
      VLLM_BASE_URL: llm.baseUrl,
      ENRICH_DOCUMENTS: "true",
    },
  })
})
afterAll(async () => {
  await served.close()
  await llm.close()
})

interface Picture {
  readonly colour: string
  readonly width: number
  readonly height: number
}
interface Page {
  readonly text: string
  readonly picture?: Picture
  readonly caption?: string
}

const HEIGHT = 700
const LAMP: Picture = { colour: "teal", width: 200, height: 150 }
const LOGO: Picture = { colour: "crimson", width: 100, height: 80 }
const TEXT = "The keeper wrote every evening what the sea had brought and which of the ships had passed the point."

/** Pages of a paragraph, a picture at 60, 250 and a caption below it. */
async function pdfOf(pages: readonly Page[]): Promise<Uint8Array> {
  const document = await PDFDocument.create()
  const font = await document.embedFont(StandardFonts.Helvetica)
  for (const { text, picture, caption } of pages) {
    const page = document.addPage([500, HEIGHT])
    const words = text.split(" ")
    for (let i = 0; i * 8 < words.length; i++) {
      page.drawText(words.slice(i * 8, i * 8 + 8).join(" "), { x: 50, y: HEIGHT - 80 - i * 16, size: 12, font })
    }
    if (!picture) continue
    const { width, height, colour } = picture
    const png = await sharp({ create: { width, height, channels: 3, background: colour } })
      .png()
      .toBuffer()
    page.drawImage(await document.embedPng(png), { x: 60, y: HEIGHT - 250 - height, width, height })
    if (caption) page.drawText(caption, { x: 60, y: HEIGHT - 250 - height - 18, size: 12, font })
  }
  return document.save()
}

async function ingest(id: string, pages: readonly Page[]) {
  const before = llm.questions.length
  const form = new FormData()
  form.set("id", id)
  form.set("file", new File([Buffer.from(await pdfOf(pages))], `${id}.pdf`))
  await served.send("POST", "/documents", form)
  await served.runtime.ingest.idle()
  const asked = llm.questions.slice(before).filter(({ name }) => name === "figure_description")
  const document = (await get(`/documents/${id}`)) as { status: string; warnings?: string[] }
  return { asked, document }
}
async function get(path: string): Promise<unknown> {
  return (await served.send("GET", path)).json()
}
interface FigureChunk {
  readonly id: string
  readonly kind: string
  readonly content: string
  readonly regions: readonly {
    readonly page: number
    readonly x0: number
    readonly y0: number
    readonly x1: number
    readonly y1: number
  }[]
}
const figuresOf = async (id: string, page = 1) =>
  ((await get(`/documents/${id}/pages/${page}`)) as { chunks: FigureChunk[] }).chunks.filter(
    ({ kind }) => kind === "figure",
  )

test("a figure without a caption is found by its description, where it stands", { timeout: 120_000 }, async () => {
  const { asked, document } = await ingest("lamp", [{ text: TEXT, picture: LAMP }])
  expect(document.status).toBe("ready")
  expect(asked).toHaveLength(1)
  expect(JSON.parse(asked[0]?.user ?? "")).toEqual({ language: "English", caption: "" })
  const jpeg = Buffer.from(asked[0]?.images[0]?.replace("data:image/jpeg;base64,", "") ?? "", "base64")
  const { width, height } = await sharp(jpeg).metadata()
  expect(Math.abs(width - (200 * 150) / 72)).toBeLessThan(4)
  expect(Math.abs(height - (150 * 150) / 72)).toBeLessThan(4)
  const [figure] = await figuresOf("lamp")
  expect(figure?.content).toBe(DESCRIPTION)
  expect(figure?.regions).toHaveLength(1)
  const [{ x0, y0, x1, y1 } = { x0: 0, y0: 0, x1: 0, y1: 0 }] = figure?.regions ?? []
  for (const [is, shouldBe] of [
    [x0 * 500, 60],
    [y0 * HEIGHT, 250],
    [x1 * 500, 260],
    [y1 * HEIGHT, 400],
  ] as const) {
    expect(Math.abs(is - shouldBe)).toBeLessThan(2)
  }
  const found = await served.post("/search", { query: "brass lenses", group_by: "chunk" })
  expect(await found.json()).toMatchObject({ results: [{ id: "lamp", chunk_id: figure?.id, page: 1 }] })
})

test("a caption and a description are one chunk, which keeps its id and is not paid for again", {
  timeout: 120_000,
}, async () => {
  const page = { text: TEXT, picture: LAMP, caption: "Figure 1. The new lamp of the lighthouse" }
  const first = await ingest("captioned", [page])
  expect(JSON.parse(first.asked[0]?.user ?? "")).toMatchObject({ caption: page.caption })
  const [figure] = await figuresOf("captioned")
  expect(figure?.content).toBe(`${page.caption}\n\n${DESCRIPTION}`)
  // The figure is on another page now, and its words are others if the model were asked again.
  described = "Something else."
  const second = await ingest("captioned", [{ text: "A new first page, with a sentence of its own." }, page])
  described = DESCRIPTION
  expect(second.asked).toEqual([])
  expect(await figuresOf("captioned", 2)).toMatchObject([
    { id: figure?.id, content: figure?.content, regions: [{ page: 2 }] },
  ])
})

test("ornaments are no chunks: what is small is not asked about, nor what repeats, and null is nothing", {
  timeout: 120_000,
}, async () => {
  const small = { text: TEXT, picture: { ...LOGO, width: 60, height: 60 } }
  const logo = { text: TEXT, picture: LOGO }
  const { asked } = await ingest("logos", [logo, logo, logo, small])
  expect(asked).toEqual([])
  described = null
  const blank = await ingest("blank", [{ text: TEXT, picture: LAMP }])
  described = DESCRIPTION
  expect(blank.asked).toHaveLength(1)
  for (const page of [1, 2, 3, 4]) expect(await figuresOf("logos", page)).toEqual([])
  expect(await figuresOf("blank")).toEqual([])
})

test("a model that sees no pictures still reads the text", { timeout: 120_000 }, async () => {
  seesPictures = false
  const pictures = ["navy", "olive", "maroon", "purple", "orange"]
  const pages = pictures.map((colour) => ({ text: `${TEXT} ${colour}`, picture: { ...LAMP, colour } }))
  const { asked, document } = await ingest("sightless", pages)
  seesPictures = true
  expect(asked.length).toBeLessThanOrEqual(5)
  expect(document.status).toBe("ready")
  expect(document.warnings?.join()).toMatch(/^\d of 5 figures are not enriched: .*answered with status 400/)
  expect(document.warnings?.join()).not.toContain("chunks")
  const { chunks } = (await get("/documents/sightless/pages/1")) as { chunks: { enriched_by?: string }[] }
  expect(chunks[0]?.enriched_by).toBe("qwen2.5-7b-instruct-awq")
})
