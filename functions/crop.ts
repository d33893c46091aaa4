import { createDocumentPages } from "../lib/documents/document-pages.ts"
import { servedPictures } from "../lib/runtime/served-calls.ts"
import { picturesRoute } from "./http/pictures-route.ts"
import { httpHandler } from "./lambda/http-handler.ts"
import { openPictures } from "./lambda/open-pictures.ts"
import { openUsage } from "./lambda/open-usage.ts"

/** `GET /crop/{id}/{page}` and the picture of a page. */
export const handler = httpHandler(async (app, { config, database, guard, log }) => {
  const pictures = await openPictures(config, createDocumentPages(database))
  const { count } = openUsage({ config, database, log })
  app.route("/", picturesRoute(servedPictures(pictures, count), { guard, timeoutMs: config.searchTimeoutMs }))
})
