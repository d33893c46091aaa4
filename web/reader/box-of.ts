import type { Region } from "../../lib/shapes.ts"

/** Where a region stands, as CSS: shares of the picture. */
export function boxOf({ x0, y0, x1, y1 }: Region) {
  const share = (value: number) => `${(value * 100).toFixed(3)}%`
  return { left: share(x0), top: share(y0), width: share(x1 - x0), height: share(y1 - y0) }
}
