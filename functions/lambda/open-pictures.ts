import type { Config } from "../../lib/config.ts"
import type { DocumentPages } from "../../lib/documents/document-pages.ts"
import { createPagePictures, type PagePictures } from "../../lib/documents/page-pictures.ts"
import { openObjectStore } from "../../lib/objects/open-object-store.ts"

/** Pictures of pages, from the bucket that is linked. */
export async function openPictures(config: Config, pages: DocumentPages): Promise<PagePictures> {
  return createPagePictures({ pages, objects: await openObjectStore(config) })
}
