import type { PageSummary } from "../../lib/documents/page-details.ts"

/** That of A4, for pages of which nobody knows. */
const PORTRAIT = 210 / 297

/** Width by height of a page. */
export function ratioOf(page: Pick<PageSummary, "width" | "height"> | undefined): number {
  return page?.width && page.height ? page.width / page.height : PORTRAIT
}
