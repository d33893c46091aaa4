import * as z from "zod"
import type { Box } from "../page.ts"

/** Widest picture that is drawn, pixels. */
export const PICTURE_WIDTH_MAX = 2_000

/** A number as a URL has it: decimal digits, perhaps an exponent (JavaScript writes 0.0000001 as `1e-7`). */
const DECIMAL = /^-?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d{1,3})?$/i
const EDGES = ["x0", "y0", "x1", "y1"] as const

/**
 * `?bbox=x0,y0,x1,y1`: a part of a page, each edge 0 to 1 of the page as displayed, from its top left. Refused with the
 * edge that is wrong: what is no number, not finite, out of range, inverted or without area.
 */
export const Bbox = z
  .string()
  .max(200)
  .transform((text, context): Box => {
    const refuse = (message: string) => {
      context.issues.push({ code: "custom", message, input: text })
      return z.NEVER
    }
    const parts = text.split(",").map((part) => part.trim())
    if (parts.length !== 4) return refuse("must be four numbers: x0,y0,x1,y1")
    const numbers = parts.map((part) => (DECIMAL.test(part) ? Number(part) : Number.NaN))
    const wrong = numbers.findIndex((number) => !(number >= 0 && number <= 1))
    if (wrong >= 0) return refuse(`${EDGES[wrong]} must be a number from 0 to 1`)
    const [x0 = 0, y0 = 0, x1 = 0, y1 = 0] = numbers
    if (x0 >= x1) return refuse("x0 must be less than x1")
    if (y0 >= y1) return refuse("y0 must be less than y1")
    return { x0, y0, x1, y1 }
  })

/** `?width=`: of the picture, pixels. */
export const PictureWidth = z
  .string()
  .regex(/^\d{1,5}$/, `must be a whole number from 1 to ${PICTURE_WIDTH_MAX}`)
  .transform(Number)
  .pipe(z.int().min(1).max(PICTURE_WIDTH_MAX, `must be at most ${PICTURE_WIDTH_MAX}`))

/** `?format=`. */
export const PictureFormat = z.enum(["png", "webp", "jpeg"])
export type PictureFormat = z.infer<typeof PictureFormat>
