import type { Region } from "../../lib/shapes.ts"

/** The parts of a page that a passage takes, drawn over its picture: the parent is positioned and of the page's shape. */
export function RegionBoxes({ regions, page }: { readonly regions: readonly Region[]; readonly page: number }) {
  return (
    <>
      {regions
        .filter((region) => region.page === page)
        .map((region) => (
          <span key={`${region.x0} ${region.y0}`} class="region-box" style={boxOf(region)} aria-hidden="true" />
        ))}
    </>
  )
}

/** Where a region stands, as CSS: shares of the picture. */
export function boxOf({ x0, y0, x1, y1 }: Region) {
  const share = (value: number) => `${(value * 100).toFixed(3)}%`
  return { left: share(x0), top: share(y0), width: share(x1 - x0), height: share(y1 - y0) }
}
