import { createDocumentPages } from "../lib/documents/document-pages.ts"
import { createPagePictures } from "../lib/documents/page-pictures.ts"
import { openObjectStore } from "../lib/objects/open-object-store.ts"
import { picturesRoute } from "./http/pictures-route.ts"
import { httpHandler } from "./lambda/http-handler.ts"

/** `GET /crop/{id}/{page}` and the picture of a page. */
export const handler = httpHandler(async (app, { config, database, guard }) => {
  const pages = createDocumentPages(database)
  app.route("/", picturesRoute(createPagePictures({ pages, objects: await openObjectStore(config) }), { guard }))
})
