import type { SearchHit } from "../../lib/search/response.ts"
import { Picture } from "../parts/picture.tsx"

interface PageThumbnailProps {
  readonly hit: SearchHit
  readonly href: string
  /** Of the picture that is loaded, px. */
  readonly width?: number
}

/** The page that a passage stands on, with its lines shaded; nothing where there is no picture of it. */
export function PageThumbnail({ hit, href, width = 320 }: PageThumbnailProps) {
  if (hit.crop_url === undefined) return null
  const says = hit.page === undefined ? "The passage as it stands" : `Page ${hit.page}, with the passage shaded`
  return (
    // The title leads to the same place, so this is not one more stop for who goes by keys.
    <a class="page-thumbnail" href={href} tabIndex={-1} aria-label={says}>
      <Picture path={`${hit.crop_url}&highlight=1&width=${width}&format=webp`} alt="" />
    </a>
  )
}
