import type { SearchHit } from "../../lib/search/response.ts"
import { Picture } from "../parts/picture.tsx"

/** The page that a passage stands on, with its lines shaded; nothing where there is no picture of it. */
export function PageThumbnail({
  hit,
  href,
  width = 320,
}: {
  readonly hit: SearchHit
  readonly href: string
  readonly width?: number
}) {
  if (hit.crop_url === undefined) return null
  return (
    // The title leads to the same place, so this is not one more stop for who goes by keys.
    <a class="page-thumbnail" href={href} tabIndex={-1}>
      <Picture
        path={`${hit.crop_url}&highlight=1&width=${width}&format=webp`}
        alt={hit.page === undefined ? "The passage as it was printed" : `Page ${hit.page}, with the passage shaded`}
      />
    </a>
  )
}
