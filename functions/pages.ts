import { taskRoot } from "./environment.ts"
import { openApiRoute } from "./http/openapi-route.ts"
import { referenceRoute } from "./http/reference-route.ts"
import { edgeHandler } from "./lambda/http-handler.ts"
import { VERSION } from "./version.ts"

/** `GET /docs`, `GET /openapi.json`, preflights, and the 404 of every path that no function answers. */
export const handler = edgeHandler((app, { config }) => {
  if (!config.serveApiDocs) return
  app.route("/", openApiRoute(VERSION))
  app.route("/", referenceRoute(taskRoot()))
})
