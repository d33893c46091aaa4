import { join } from "node:path"
import { createAnomalies } from "../lib/documents/anomalies.ts"
import { createCountCollection } from "../lib/documents/collection.ts"
import { createDocumentPages } from "../lib/documents/document-pages.ts"
import { createDocuments } from "../lib/documents/documents.ts"
import { createEntities } from "../lib/documents/entities.ts"
import { createCleanUp } from "../lib/documents/ingest/clean-up.ts"
import { createReceive } from "../lib/documents/ingest/receive.ts"
import { openObjectStore } from "../lib/objects/open-object-store.ts"
import { pagesOverIndex, storedBesideIndex } from "../lib/runtime/pages-over-index.ts"
import { createReadUsage } from "../lib/usage/read-usage.ts"
import { anomaliesRoute } from "./http/anomalies-route.ts"
import { collectionRoute } from "./http/collection-route.ts"
import { documentPagesRoute } from "./http/document-pages-route.ts"
import { documentsRoute } from "./http/documents-route.ts"
import { entitiesRoute } from "./http/entities-route.ts"
import { uploadsRoute } from "./http/uploads-route.ts"
import { usageRoute } from "./http/usage-route.ts"
import { foreignLater } from "./lambda/foreign-later.ts"
import { httpHandler } from "./lambda/http-handler.ts"

/** A Lambda takes 6 MB and gets files as base64: 4.5 MB, less the form's fields (docs/deploy.md). */
const FORM_BYTES_MAX = 4_000_000

/** Uploads, and what documents hold. The bucket's event makes `ingest` read what comes in here. */
export const handler = httpHandler(async (app, { config, database, guard, log }) => {
  const objects = await openObjectStore(config)
  const index = { foreign: foreignLater(config, database), timeoutMs: config.searchTimeoutMs }
  const documents = storedBesideIndex(createDocuments(database), index)
  const cleanUp = createCleanUp({ database, objects, log })
  const receive = createReceive({ database, objects, documents, settings: config, cleanUp, isReadByEvents: true })
  const { documentBytesMax, concordanceHome } = config
  app.route("/", uploadsRoute(receive, { guard, documentBytesMax, tempFolder: join(concordanceHome, "tmp") }))
  app.route("/", documentsRoute(documents, receive, { guard }))
  const upload = { bytes_max: documentBytesMax, form_bytes_max: Math.min(documentBytesMax, FORM_BYTES_MAX) }
  const countCollection = createCountCollection(database)
  app.route("/", collectionRoute(countCollection, { guard, upload }))
  app.route("/", usageRoute(createReadUsage({ database, stored: countCollection }), { guard }))
  app.route("/", documentPagesRoute(pagesOverIndex(createDocumentPages(database), index), { guard }))
  app.route("/", entitiesRoute(createEntities(database), { guard }))
  app.route("/", anomaliesRoute(createAnomalies(database), { guard }))
})
