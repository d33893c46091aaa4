import { createHash } from "node:crypto"
import type { Box } from "../page.ts"
import type { PictureFormat } from "./picture-request.ts"

/** Raised whenever the same request draws other bytes than before: with this code, and with versions of sharp. */
const DRAWING_VERSION = 2

/** All that decides what a picture looks like. */
export interface PictureInputs {
  /** Key of the page's stored picture, which holds the document's generation: what stands under it never changes. */
  readonly imageKey: string
  readonly kind: "box" | "regions" | "page"
  /** The box, the chunk's regions, or what is shaded. */
  readonly boxes: readonly Box[]
  readonly width?: number | undefined
  readonly format: PictureFormat
}

/**
 * The strong ETag of a picture (RFC 9110, 8.8.3), told from what it is drawn from: a repeated request is answered 304
 * without drawing, and without loading the library that draws.
 */
export function pictureTag({ imageKey, kind, boxes, width, format }: PictureInputs): string {
  const edges = boxes.map(({ x0, y0, x1, y1 }) => [x0, y0, x1, y1])
  const inputs = JSON.stringify([DRAWING_VERSION, imageKey, kind, edges, width ?? null, format])
  return `"${createHash("sha256").update(inputs).digest("base64url").slice(0, 24)}"`
}
