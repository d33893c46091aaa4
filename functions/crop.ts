import { createDocumentPages } from "../lib/documents/document-pages.ts"
import { picturesRoute } from "./http/pictures-route.ts"
import { httpHandler } from "./lambda/http-handler.ts"
import { openPictures } from "./lambda/open-pictures.ts"

/** `GET /crop/{id}/{page}` and the picture of a page. */
export const handler = httpHandler(async (app, { config, database, guard }) => {
  app.route(
    "/",
    picturesRoute(await openPictures(config, createDocumentPages(database)), {
      guard,
      timeoutMs: config.searchTimeoutMs,
    }),
  )
})
