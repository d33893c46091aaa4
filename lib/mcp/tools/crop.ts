import * as z from "zod"
import { parseCitation } from "../../citation.ts"
import type { DocumentPages } from "../../documents/document-pages.ts"
import type { PagePictures, PictureRequest } from "../../documents/page-pictures.ts"
import { Bbox, PICTURE_WIDTH_MAX } from "../../documents/pictures/picture-request.ts"
import { invalidField } from "../../errors.ts"
import { DocumentId, StorableText } from "../../shapes.ts"
import type { McpTool } from "../mcp-tool.ts"

const CITATION_CHARS_MAX = 8_000
/** Largest picture, bytes: in base64 it is under the 1 MiB that Claude Desktop takes of a result. */
const BYTES_MAX = 700_000
/** Widths in pixels that are tried in turn where one is too large, as JPEG; a page of noise at the last takes 300 KB. */
const SMALLER = [PICTURE_WIDTH_MAX, 1_240, 800, 500]

const CropInput = z.strictObject({
  citation: StorableText.min(1)
    .max(CITATION_CHARS_MAX)
    .optional()
    .describe("Of the passage to see: `[[doc/p007#c0042]]`; or else `document_id` and `page`"),
  document_id: DocumentId.optional(),
  page: z.int().min(1).max(100_000).optional().describe("From 1"),
  bbox: Bbox.optional().describe(
    "Part of the page, `x0,y0,x1,y1`, each 0 to 1 from its top left; all of it when absent",
  ),
  highlight: z.boolean().default(false).describe("Whether to show the whole page, with the passage or box shaded"),
  width: z
    .int()
    .min(100)
    .max(PICTURE_WIDTH_MAX)
    .optional()
    .describe("Of the picture, pixels; as the page is stored, at 150 dpi, when absent"),
})
type CropInput = z.output<typeof CropInput>

const CropOutput = z.object({
  document_id: z.string(),
  page: z.int(),
  chunk_id: z.string().optional(),
  mime_type: z.string(),
  bytes: z.int(),
})

interface CropDeps {
  readonly pages: Pick<DocumentPages, "chunk">
  readonly pictures: Pick<PagePictures, "part">
}

/** What to draw, and of which page. */
interface Part {
  readonly documentId: string
  readonly page: number
  readonly chunkId?: string
  readonly request: Pick<PictureRequest, "chunkId" | "box" | "highlight">
}

/** The picture of a passage, of a box, or of a page, small enough for a client to take. */
export function createCrop({ pages, pictures }: CropDeps, { timeoutMs }: Pick<McpTool, "timeoutMs">): McpTool {
  async function partOf(tenant: string, { citation, document_id, page, bbox, highlight }: CropInput): Promise<Part> {
    if ((citation === undefined) === (document_id === undefined || page === undefined)) {
      throw invalidField("citation", "citation is required, or document_id and page, and not both")
    }
    if (citation === undefined) {
      const documentId = document_id as string
      // All of a page is the page with nothing shaded.
      return { documentId, page: page as number, request: { box: bbox, highlight: highlight || bbox === undefined } }
    }
    const cited = parseCitation(citation)
    if (!cited) throw invalidField("citation", "must be one like [[doc/p007#c0042]], as a result had it")
    const { documentId, chunkId } = cited
    const on = cited.page ?? (await pages.chunk(tenant, documentId, chunkId)).page ?? 1
    return { documentId, page: on, chunkId, request: { chunkId, highlight } }
  }
  return {
    name: "crop",
    title: "See a passage",
    description:
      "Shows a picture of a passage as it stands on its page, of a box, or of a whole page: for tables, figures, handwriting and stamps. Of PDFs and images alone.",
    scope: "search",
    input: CropInput,
    output: CropOutput,
    timeoutMs,
    isRepeatable: true,
    async call(tenant, input: CropInput) {
      const { documentId, page, chunkId, request } = await partOf(tenant, input)
      const draw = async (format: "png" | "jpeg", width: number | undefined) =>
        (await pictures.part(tenant, documentId, page, { ...request, width, format })).read()
      let picture = await draw("png", input.width)
      for (const width of SMALLER) {
        if (picture.bytes.length <= BYTES_MAX) break
        if (width <= (input.width ?? width)) picture = await draw("jpeg", width)
      }
      const { bytes, mimeType } = picture
      const data = { document_id: documentId, page, ...(chunkId !== undefined && { chunk_id: chunkId }) }
      return {
        data: { ...data, mime_type: mimeType, bytes: bytes.length },
        text: `${chunkId === undefined ? "A part" : `Passage ${chunkId}`} of page ${page} of ${documentId}`,
        sources: [{ id: documentId, title: documentId, page, chunk_id: chunkId }],
        pictures: [picture],
      }
    },
  }
}
