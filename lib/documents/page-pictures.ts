import { stage } from "../activity.ts"
import { AppError } from "../errors.ts"
import type { ObjectStore } from "../objects/object-store.ts"
import type { DocumentPages, StoredPageImage } from "./document-pages.ts"
import type { Box } from "./page.ts"
import type { PictureFormat } from "./pictures/picture-request.ts"
import { type PictureInputs, pictureTag } from "./pictures/picture-tag.ts"

/** Largest stored picture that is read, bytes: a page of noise at 150 dpi takes 7 MB. */
const IMAGE_BYTES_MAX = 64_000_000

/** What of a page is asked for: a box, a chunk's part, or all of it with a chunk or box shaded. */
export interface PictureRequest {
  readonly chunkId?: string | undefined
  readonly box?: Box | undefined
  readonly highlight: boolean
  /** Pixels. */
  readonly width?: number | undefined
  readonly format: PictureFormat
}

/** A picture that is known but not drawn yet: whoever has it under this tag already needs no more. */
export interface PagePicture {
  /** A strong ETag (RFC 9110), quotes included. */
  readonly tag: string
  /** Generation of the document that it is of; null where the document changed in this very moment. */
  readonly version: string | null
  read(): Promise<{ readonly bytes: Uint8Array; readonly mimeType: string }>
}

/** Pictures of pages. Everything throws `not_found`, of another tenant's document too. */
export interface PagePictures {
  /** The picture as it is stored. */
  whole(tenant: string, id: string, page: number): Promise<PagePicture>
  /**
   * A part of it; of a chunk with a picture of its own, that one, highlighted too where the page has none. Throws `not_found` also for a chunk that has no place on
   * this page.
   */
  part(tenant: string, id: string, page: number, request: PictureRequest): Promise<PagePicture>
}

interface PagePicturesDeps {
  readonly pages: DocumentPages
  readonly objects: ObjectStore
}

/** The library that draws is loaded by the first picture that is drawn. */
export function createPagePictures({ pages, objects }: PagePicturesDeps): PagePictures {
  async function stored({ imageKey }: StoredPageImage) {
    const found = await objects.get(imageKey, IMAGE_BYTES_MAX)
    if (!found)
      throw new AppError(
        "not_found",
        "The picture of this page is gone: the document was replaced or deleted, or the file was lost (concordance verify)",
      )
    return found
  }
  return {
    async whole(tenant, id, page) {
      const image = await pages.image(tenant, id, page)
      const tag = pictureTag({ imageKey: image.imageKey, kind: "page", boxes: [], format: "png" })
      return {
        tag: `${tag.slice(0, -1)}-stored"`,
        version: image.version,
        async read() {
          const { body, contentType } = await stored(image)
          return { bytes: body, mimeType: contentType }
        },
      }
    },
    async part(tenant, id, page, { chunkId, box, highlight, width, format }) {
      const chunk = chunkId === undefined ? null : await chunkOn(tenant, id, page, chunkId, highlight)
      if (chunk?.own) return picture(chunk.own, { kind: "page", boxes: [], width, format })
      const image = await pages.image(tenant, id, page)
      if (chunk?.boxes.length === 0) throw new AppError("not_found", "The chunk has no place on this page")
      const kind = highlight ? "page" : box ? "box" : "regions"
      const boxes = chunk?.boxes ?? (box ? [box] : [])
      const drawn = picture(image, { kind, boxes, width, format })
      return !chunk || chunk.version === image.version ? drawn : { ...drawn, version: null }
    },
  }

  async function hasImage(tenant: string, id: string, page: number): Promise<boolean> {
    try {
      await pages.image(tenant, id, page)
      return true
    } catch (error) {
      if (error instanceof AppError && error.code === "not_found") return false
      throw error
    }
  }

  /** Where a chunk stands on a page, and its own picture, if it has one that is to be shown and stands there. */
  async function chunkOn(tenant: string, id: string, page: number, chunkId: string, highlight: boolean) {
    const { regions, imageKey, version } = await pages.regions(tenant, id, chunkId)
    const boxes = regions.filter((region) => region.page === page)
    const isOwn = imageKey !== null && boxes.length > 0 && !(highlight && (await hasImage(tenant, id, page)))
    return { boxes, own: isOwn ? { imageKey, width: null, version } : null, version }
  }

  function picture(image: StoredPageImage, how: Omit<PictureInputs, "imageKey">): PagePicture {
    const inputs = { ...how, imageKey: image.imageKey }
    return { tag: pictureTag(inputs), version: image.version, read: () => draw(image, inputs) }
  }

  async function draw(image: StoredPageImage, { kind, boxes, width, format }: PictureInputs) {
    const { drawBox, drawPage, drawRegions } = await import("./pictures/draw-picture.ts")
    const { body } = await stored(image)
    const page = { bytes: body, widthPt: image.width }
    const [box] = boxes
    return stage("draw", () => {
      if (kind === "box" && box) return drawBox(page, box, { width, format })
      return kind === "page" ? drawPage(page, boxes, { width, format }) : drawRegions(page, boxes, { width, format })
    })
  }
}
