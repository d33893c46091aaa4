import { describe, expect, test } from "vitest"
import * as z from "zod"
import { fieldProblems } from "../../field-problems.ts"
import { Bbox, PictureFormat, PictureWidth } from "./picture-request.ts"
import { pictureTag } from "./picture-tag.ts"

const Query = z.object({
  bbox: Bbox.optional(),
  width: PictureWidth.optional(),
  format: PictureFormat.default("png"),
})

function problems(query: Record<string, string>) {
  const parsed = Query.safeParse(query)
  return parsed.success ? [] : fieldProblems(parsed.error.issues, "query")
}

describe("bbox", () => {
  test.each([
    ["0,0,1,1", { x0: 0, y0: 0, x1: 1, y1: 1 }],
    ["0.25,.5,0.75,1.0", { x0: 0.25, y0: 0.5, x1: 0.75, y1: 1 }],
    [" 0.1 , 0.2 , 0.3 , 0.4 ", { x0: 0.1, y0: 0.2, x1: 0.3, y1: 0.4 }],
    ["0,0,1e-7,2E-7", { x0: 0, y0: 0, x1: 1e-7, y1: 2e-7 }],
  ])("%j is a box", (text, box) => {
    expect(Bbox.parse(text)).toEqual(box)
  })

  test.each([
    ["", "four numbers"],
    ["0,0,1", "four numbers"],
    ["0,0,1,1,1", "four numbers"],
    ["0,0,,1", "x1 must be a number from 0 to 1"],
    ["NaN,0,1,1", "x0 must be"],
    ["0,0,1,Infinity", "y1 must be"],
    ["0,0,0x1,1", "x1 must be"],
    ["0,0,1e999,1", "x1 must be"],
    ["-0.1,0,1,1", "x0 must be"],
    ["0,0,1,1.0001", "y1 must be"],
    ["0,0,100,100", "x1 must be"],
    ["0.5,0,0.5,1", "x0 must be less than x1"],
    ["0.6,0,0.5,1", "x0 must be less than x1"],
    ["0,0.5,1,0.5", "y0 must be less than y1"],
    ["0,0.6,1,0.5", "y0 must be less than y1"],
    [`0,0,1,0.${"1".repeat(300)}`, ""],
  ])("%j is refused, by its field", (bbox, message) => {
    expect(problems({ bbox })).toEqual([{ field: "bbox", message: expect.stringContaining(message) }])
  })
})

test.each(["0", "2001", "99999", "100000", "-5", "1.5", "1e3", "abc", ""])(
  "width %j is refused, by its field",
  (width) => {
    expect(problems({ width }).map(({ field }) => field)).toEqual(["width"])
  },
)

test("widths from 1 to 2000 and the three formats are taken", () => {
  expect(Query.parse({ width: "2000", format: "webp" })).toEqual({ width: 2_000, format: "webp" })
  expect(Query.parse({ width: "1" })).toEqual({ width: 1, format: "png" })
  expect(problems({ format: "gif" })).toEqual([{ field: "format", message: expect.any(String) }])
})

describe("pictureTag", () => {
  const box = { x0: 0.1, y0: 0.2, x1: 0.3, y1: 0.4 }
  const inputs = { imageKey: "pages/t/d/1/p0001.png", kind: "box", boxes: [box], width: 400, format: "png" } as const

  test("is a strong tag that the same inputs give again", () => {
    expect(pictureTag(inputs)).toMatch(/^"[\w-]{24}"$/)
    expect(pictureTag({ ...inputs, boxes: [{ ...box }] })).toBe(pictureTag(inputs))
  })

  test("differs with every input", () => {
    const others = [
      { ...inputs, imageKey: "pages/t/d/2/p0001.png" },
      { ...inputs, kind: "regions" as const },
      { ...inputs, boxes: [{ ...box, x1: 0.31 }] },
      { ...inputs, boxes: [box, box] },
      { ...inputs, width: undefined },
      { ...inputs, format: "webp" as const },
    ]
    expect(new Set([inputs, ...others].map(pictureTag)).size).toBe(7)
  })
})
