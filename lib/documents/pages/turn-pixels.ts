import type { PixelBox } from "./open-recogniser.ts"

/** By how many right angles a picture is turned clockwise. */
export type QuarterTurns = 0 | 1 | 2 | 3

/** Grey pixels, turned clockwise. */
export function turnPixels(pixels: Uint8Array, width: number, height: number, turns: QuarterTurns) {
  if (turns === 0) return { pixels, width, height }
  const turned = new Uint8Array(pixels.length)
  const upright = turns !== 2
  const newWidth = upright ? height : width
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const [newX, newY] = turnPoint(x, y, width, height, turns)
      turned[newY * newWidth + newX] = pixels[y * width + x] ?? 0
    }
  }
  return { pixels: turned, width: newWidth, height: upright ? width : height }
}

function turnPoint(x: number, y: number, width: number, height: number, turns: QuarterTurns): [number, number] {
  if (turns === 1) return [height - 1 - y, x]
  if (turns === 2) return [width - 1 - x, height - 1 - y]
  return [y, width - 1 - x]
}

/** A box of the turned picture, where it is in the picture before, whose size is given. Edges, not pixels: ends count after the last. */
export function turnBox({ x0, y0, x1, y1 }: PixelBox, width: number, height: number, turns: QuarterTurns): PixelBox {
  if (turns === 1) return { x0: y0, y0: height - x1, x1: y1, y1: height - x0 }
  if (turns === 2) return { x0: width - x1, y0: height - y1, x1: width - x0, y1: height - y0 }
  if (turns === 3) return { x0: width - y1, y0: x0, x1: width - y0, y1: x1 }
  return { x0, y0, x1, y1 }
}
