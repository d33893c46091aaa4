import sharp from "sharp"
import { describe, expect, test } from "vitest"
import { boxOf, type DrawnLine, drawLines, storedPage } from "../../../tests/page-of-lines.ts"
import { drawBox, drawPage, drawRegions, type Picture } from "./draw-picture.ts"

/** A letter page at 150 dpi. */
const WIDTH = 1_275
const HEIGHT = 1_650
const WIDTH_PT = 612
const PNG = { format: "png" } as const

/** Lines of `leading` pixels, the first with grey 1, the next 2, and so on. */
function column(left: number, right: number, top: number, count: number, leading: number, firstGrey = 1): DrawnLine[] {
  return Array.from({ length: count }, (_, i) => ({ left, right, baseline: top + i * leading, grey: firstGrey + i }))
}

async function pixelsOf(picture: Picture | Uint8Array) {
  const bytes = picture instanceof Uint8Array ? picture : picture.bytes
  const { data, info } = await sharp(bytes).toColourspace("srgb").raw().toBuffer({ resolveWithObject: true })
  expect(info.channels).toBe(3)
  return {
    at: (x: number, y: number) => [...data.subarray((y * info.width + x) * 3, (y * info.width + x) * 3 + 3)],
    info,
    data,
  }
}

/** How many pixels have each grey. */
function inkByGrey(pixels: Uint8Array, stride: number): Map<number, number> {
  const counts = new Map<number, number>()
  for (let i = 0; i < pixels.length; i += stride) {
    const grey = pixels[i] ?? 0
    if (grey < 255) counts.set(grey, (counts.get(grey) ?? 0) + 1)
  }
  return counts
}

/** Crops lines and says which are there whole; fails if one is there in part or ink stands on the border. */
async function wholeLinesIn(lines: readonly DrawnLine[], wanted: readonly DrawnLine[], fontSize: number, shift = 0) {
  const drawn = drawLines({ width: WIDTH, height: HEIGHT, lines, fontSize })
  const bytes = await storedPage(drawn, WIDTH, HEIGHT)
  const box = boxOf(wanted, { width: WIDTH, height: HEIGHT, fontSize })
  const region = { ...box, y0: box.y0 + shift / HEIGHT, y1: box.y1 + shift / HEIGHT }
  const picture = await drawRegions({ bytes, widthPt: WIDTH_PT }, [region], PNG)
  const { data, info, at } = await pixelsOf(picture)
  const all = inkByGrey(drawn, 1)
  const shown = inkByGrey(data, 3)
  for (const [grey, count] of shown) expect(count, `line ${grey} is there in part`).toBe(all.get(grey))
  for (let x = 0; x < info.width; x++)
    expect([at(x, 0), at(x, info.height - 1)]).toEqual([
      [255, 255, 255],
      [255, 255, 255],
    ])
  for (let y = 0; y < info.height; y++)
    expect([at(0, y), at(info.width - 1, y)]).toEqual([
      [255, 255, 255],
      [255, 255, 255],
    ])
  return [...shown.keys()].sort((a, b) => a - b)
}

const greys = (lines: readonly DrawnLine[]) => lines.map(({ grey }) => grey)

describe("the crop of a chunk", () => {
  test.each([
    ["wide", 20, 40],
    ["usual", 20, 25],
    ["tight", 20, 22],
    ["small", 14, 17],
    ["large", 40, 50],
  ])("shows its lines whole and no half of a neighbour: %s leading", async (_, fontSize, leading) => {
    const lines = column(150, 1_100, 200, 12, leading)
    const wanted = lines.slice(4, 8)
    expect(await wholeLinesIn(lines, wanted, fontSize)).toEqual(greys(wanted))
  })

  test.each([-4, -2, 2, 4])("does so when its box is %i pixels off", async (shift) => {
    const lines = column(150, 1_100, 200, 12, 25)
    const shown = await wholeLinesIn(lines, lines.slice(4, 8), 20, shift)
    expect(shown).toEqual(expect.arrayContaining(greys(lines.slice(4, 8))))
    expect(shown.length).toBeLessThanOrEqual(5)
  })

  test("shows nothing of the column beside it, 8 points away", async () => {
    const left = column(150, 600, 200, 12, 25)
    const right = column(617, 1_100, 208, 12, 25, 101)
    const wanted = left.slice(4, 8)
    expect(await wholeLinesIn([...left, ...right], wanted, 20)).toEqual(greys(wanted))
  })

  test("shows the first and the last line of a page that is full to its edges", async () => {
    const lines = column(0, WIDTH, 15, 65, 25).filter(({ baseline }) => baseline + 5 <= HEIGHT)
    const drawn = drawLines({ width: WIDTH, height: HEIGHT, lines, fontSize: 20 })
    const bytes = await storedPage(drawn, WIDTH, HEIGHT)
    const picture = await drawRegions({ bytes, widthPt: WIDTH_PT }, [{ x0: 0, y0: 0, x1: 1, y1: 1 }], PNG)
    // 6 points are 12.5 pixels.
    expect([picture.width, picture.height]).toEqual([WIDTH + 26, HEIGHT + 26])
    expect(inkByGrey((await pixelsOf(picture)).data, 3)).toEqual(inkByGrey(drawn, 1))
  })

  test.each([0, -7, 7])("ends between lines where rules stand in every row, its box %i pixels off", async (shift) => {
    const lines = column(150, 1_100, 200, 12, 25)
    const drawn = drawLines({ width: WIDTH, height: HEIGHT, lines, fontSize: 20 })
    const inkOfLines = inkByGrey(drawn, 1)
    // Where no letter's stroke is: between the letters, which are 10 pixels apart.
    for (let y = 100; y < 1_000; y++) for (const x of [158, 159, 508, 509]) drawn[y * WIDTH + x] = 150
    const wanted = lines.slice(4, 8)
    const box = boxOf(wanted, { width: WIDTH, height: HEIGHT, fontSize: 20 })
    const region = { ...box, y0: box.y0 + shift / HEIGHT, y1: box.y1 + shift / HEIGHT }
    const bytes = await storedPage(drawn, WIDTH, HEIGHT)
    const { data } = await pixelsOf(await drawRegions({ bytes, widthPt: WIDTH_PT }, [region], PNG))
    const shown = [...inkByGrey(data, 3)].filter(([grey]) => grey !== 150)
    for (const [grey, count] of shown) expect(count, `line ${grey}`).toBe(inkOfLines.get(grey))
    expect(shown.map(([grey]) => grey)).toEqual(expect.arrayContaining(greys(wanted)))
  })

  test("is the union of its regions, faded between them, and shows light text on dark paper as well", async () => {
    const lines = column(150, 1_100, 200, 12, 25)
    const inverted = drawLines({ width: WIDTH, height: HEIGHT, lines, fontSize: 20 }).map((grey) => 255 - grey)
    const bytes = await storedPage(Buffer.from(inverted), WIDTH, HEIGHT)
    const regions = [lines.slice(2, 4), lines.slice(6, 8)].map((part) =>
      boxOf(part, { width: WIDTH, height: HEIGHT, fontSize: 20 }),
    )
    const { data } = await pixelsOf(await drawRegions({ bytes, widthPt: WIDTH_PT }, regions, PNG))
    const shown = inkByGrey(
      data.map((grey) => 255 - grey),
      3,
    )
    const dark = [...shown.keys()].filter((grey) => grey < 128).sort((a, b) => a - b)
    expect(dark).toEqual(greys([...lines.slice(2, 4), ...lines.slice(6, 8)]))
  })

  test("over two columns shows its own lines as they are, and all others faded, also beside a line of its own", async () => {
    const lines = [...column(150, 600, 200, 12, 25), ...column(650, 1_100, 200, 12, 25, 101)]
    const wanted = [...lines.slice(9, 12), ...lines.slice(12, 14)]
    const page = { width: WIDTH, height: HEIGHT, fontSize: 20 }
    const drawn = drawLines({ ...page, lines })
    const regions = [boxOf(wanted.slice(0, 3), page), boxOf(wanted.slice(3), page)]
    const bytes = await storedPage(drawn, WIDTH, HEIGHT)
    const { data } = await pixelsOf(await drawRegions({ bytes, widthPt: WIDTH_PT }, regions, PNG))
    const [all, shown] = [inkByGrey(drawn, 1), inkByGrey(data, 3)]
    const dark = [...shown].filter(([grey]) => grey < 128)
    expect(dark.map(([grey]) => grey).sort((x, y) => x - y)).toEqual(greys(wanted))
    for (const [grey, count] of dark) expect(count, `line ${grey} is there in part`).toBe(all.get(grey))
    expect([...shown.keys()].some((grey) => grey > 200)).toBe(true)
  })

  test("without a region on the page is not found", async () => {
    const bytes = await storedPage(Buffer.alloc(100, 255), 10, 10)
    await expect(drawRegions({ bytes, widthPt: 10 }, [], PNG)).rejects.toMatchObject({ code: "not_found" })
  })
})

/** A picture whose pixel at x, y has the value `x + 10 * y`. */
const numbered = () => storedPage(Buffer.from(Array.from({ length: 100 }, (_, i) => i)), 10, 10)

describe("the picture of a box", () => {
  test.each([
    [{ x0: 0.2, y0: 0.3, x1: 0.5, y1: 0.4 }, [32, 33, 34]],
    [{ x0: 0.25, y0: 0.35, x1: 0.41, y1: 0.39 }, [32, 33, 34]],
    [{ x0: 0, y0: 0, x1: 1e-9, y1: 1e-9 }, [0]],
    [{ x0: 1 - 1e-9, y0: 1 - 1e-9, x1: 1, y1: 1 }, [99]],
    [{ x0: 0, y0: 0, x1: 1, y1: 1 }, Array.from({ length: 100 }, (_, i) => i)],
  ])("is every pixel that %j touches, and at least one", async (box, expected) => {
    const { data } = await pixelsOf(await drawBox({ bytes: await numbered(), widthPt: 10 }, box, PNG))
    expect([...data].filter((_, i) => i % 3 === 0)).toEqual(expected)
  })

  test("is as wide as asked, at most 2,000 and at most twice what is stored", async () => {
    const bytes = await storedPage(Buffer.alloc(1_500 * 300, 255), 1_500, 300)
    const page = { bytes, widthPt: null }
    const whole = { x0: 0, y0: 0, x1: 1, y1: 1 }
    const sizeFor = async (width: number | undefined, box = whole) => {
      const picture = await drawBox(page, box, { ...PNG, width })
      const { info } = await pixelsOf(picture)
      expect([picture.width, picture.height]).toEqual([info.width, info.height])
      return [picture.width, picture.height]
    }
    expect(await sizeFor(undefined)).toEqual([1_500, 300])
    expect(await sizeFor(750)).toEqual([750, 150])
    expect(await sizeFor(1)).toEqual([1, 1])
    expect(await sizeFor(2_000)).toEqual([2_000, 400])
    expect(await sizeFor(2_000, { ...whole, x1: 0.1 })).toEqual([300, 600])
  })

  test("is never taller than 4,000 pixels or wider than 2,000, however large the page", async () => {
    const tall = await storedPage(Buffer.alloc(200 * 9_000, 255), 200, 9_000)
    const wide = await storedPage(Buffer.alloc(9_000 * 200, 255), 9_000, 200)
    const whole = { x0: 0, y0: 0, x1: 1, y1: 1 }
    expect(await drawBox({ bytes: tall, widthPt: null }, whole, PNG)).toMatchObject({ width: 89, height: 4_000 })
    expect(await drawBox({ bytes: wide, widthPt: null }, whole, PNG)).toMatchObject({ width: 2_000, height: 44 })
  })

  test.each(["png", "webp", "jpeg"] as const)("comes as %s, from every kind of stored picture", async (format) => {
    const colour = sharp({ create: { width: 60, height: 40, channels: 3, background: "#804020" } })
    const clear = sharp({ create: { width: 60, height: 40, channels: 4, background: { r: 0, g: 0, b: 0, alpha: 0 } } })
    const stored = [
      [await colour.clone().png().toBuffer(), [128, 64, 32]],
      [await colour.clone().webp({ lossless: true }).toBuffer(), [128, 64, 32]],
      [await colour.clone().jpeg({ quality: 100 }).toBuffer(), [128, 64, 32]],
      [await colour.clone().png({ palette: true }).toBuffer(), [128, 64, 32]],
      [await colour.clone().greyscale().png().toBuffer(), [82, 82, 82]],
      [await colour.clone().toColourspace("rgb16").png().toBuffer(), [128, 64, 32]],
      [await clear.png().toBuffer(), [255, 255, 255]],
    ] as const
    for (const [bytes, colourThere] of stored) {
      const picture = await drawBox({ bytes, widthPt: null }, { x0: 0, y0: 0, x1: 0.5, y1: 0.5 }, { format })
      expect((await sharp(picture.bytes).metadata()).format).toBe(format)
      expect(picture).toMatchObject({ mimeType: `image/${format}`, width: 30, height: 20 })
      const { at } = await pixelsOf(picture)
      for (const [c, value] of at(5, 5).entries())
        expect(Math.abs(value - (colourThere[c] ?? 0))).toBeLessThanOrEqual(6)
    }
  })
})

describe("the picture of a page", () => {
  const regions = [
    { x0: 0, y0: 0, x1: 0.5, y1: 0.5 },
    { x0: 0.2, y0: 0.2, x1: 0.6, y1: 0.6 },
  ]

  test("shades the regions, once where they overlap, and leaves ink and everything else as it is", async () => {
    const drawn = Buffer.alloc(100, 255)
    drawn[0] = 0
    drawn[99] = 0
    const bytes = await storedPage(drawn, 10, 10)
    const { at, info } = await pixelsOf(await drawPage({ bytes, widthPt: 10 }, regions, PNG))
    expect([info.width, info.height]).toEqual([10, 10])
    const shade = at(4, 0)
    expect(shade[0]).toBe(255)
    expect(shade[2]).toBeLessThan(150)
    expect(at(3, 3)).toEqual(shade)
    expect(at(5, 5)).toEqual(shade)
    expect(at(5, 0)).toEqual([255, 255, 255])
    expect(at(6, 6)).toEqual([255, 255, 255])
    expect([at(0, 0), at(9, 9)]).toEqual([
      [0, 0, 0],
      [0, 0, 0],
    ])
  })

  test("is scaled with its regions, and untouched without any", async () => {
    const bytes = await storedPage(Buffer.alloc(10_000, 255), 100, 100)
    const { at, info } = await pixelsOf(await drawPage({ bytes, widthPt: 10 }, regions, { ...PNG, width: 50 }))
    expect([info.width, info.height]).toEqual([50, 50])
    expect(at(29, 29)[2]).toBeLessThan(150)
    expect(at(30, 30)).toEqual([255, 255, 255])
    const plain = await pixelsOf(await drawPage({ bytes: await numbered(), widthPt: 10 }, [], PNG))
    expect([...plain.data].filter((_, i) => i % 3 === 0)).toEqual(Array.from({ length: 100 }, (_, i) => i))
  })
})

/** A PNG of a few bytes whose head claims a size. */
async function claiming(width: number, height: number): Promise<Buffer> {
  const bytes = await sharp({ create: { width: 8, height: 8, channels: 3, background: "red" } })
    .png()
    .toBuffer()
  const head = Buffer.from(bytes)
  head.writeUInt32BE(width, 16)
  head.writeUInt32BE(height, 20)
  head.writeUInt32BE(crc32(head.subarray(12, 29)), 29)
  return head
}

function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0)
  }
  return (crc ^ 0xffffffff) >>> 0
}

/** All white, in one bit a pixel. */
function blank(width: number, height: number): Promise<Buffer> {
  return sharp({ create: { width, height, channels: 3, background: "white" } })
    .png({ palette: true, colours: 2 })
    .toBuffer()
}

describe("a stored picture that is none", () => {
  const red = () => sharp({ create: { width: 8, height: 8, channels: 3, background: "red" } })
  test.each([
    ["SVG", async () => Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"/>')],
    ["TIFF", async () => red().tiff().toBuffer()],
    ["GIF", async () => red().gif().toBuffer()],
    ["nothing", async () => Buffer.alloc(0)],
    [
      "a PNG cut short",
      async () => {
        const drawn = drawLines({ width: 400, height: 400, lines: column(0, 400, 30, 12, 30), fontSize: 20 })
        return (await storedPage(drawn, 400, 400)).subarray(0, 700)
      },
    ],
    ["35,000 by 35,000 pixels", async () => claiming(35_000, 35_000)],
    ["40 million pixels and a row more, though all are there", async () => blank(8_000, 5_001)],
    [
      "SVG behind the signature of a PNG",
      async () => Buffer.concat([Buffer.from("89504e470d0a1a0a", "hex"), Buffer.from("<svg/>")]),
    ],
  ])("is refused: %s", async (_, make) => {
    const page = { bytes: await make(), widthPt: null }
    const box = { x0: 0, y0: 0, x1: 1, y1: 1 }
    const drawings = [
      () => drawBox(page, box, PNG),
      () => drawRegions(page, [box], PNG),
      () => drawPage(page, [box], PNG),
    ]
    for (const draw of drawings) {
      await expect(draw()).rejects.toMatchObject({
        code: "internal",
        message: expect.stringContaining("ingest the document"),
      })
    }
  })

  test("but one of 40 million pixels is drawn", async () => {
    const page = { bytes: await blank(8_000, 5_000), widthPt: null }
    expect(await drawBox(page, { x0: 0, y0: 0, x1: 1, y1: 1 }, PNG)).toMatchObject({ width: 2_000, height: 1_250 })
  })

  test("and what isn't PNG, WebP, JPEG or TIFF can't be opened by the library at all", async () => {
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"/>')
    for (const bytes of [svg, await red().gif().toBuffer()])
      await expect(sharp(bytes).metadata()).rejects.toThrow("unsupported")
  })
})
