import { Picture } from "../parts/picture.tsx"
import type { PassageProps } from "./passage.tsx"

/** A figure as it looks, above its description; so is what a page without a picture of its own came with. */
export function PassagePicture({ chunk, page }: PassageProps) {
  const { kind, crop_url: path } = chunk
  if (path === undefined || (kind !== "figure" && page?.image_url !== undefined)) return null
  return (
    <div class="passage-picture">
      <Picture path={path} alt={kind === "figure" ? "The figure that is described below" : "The passage as it looks"} />
    </div>
  )
}
