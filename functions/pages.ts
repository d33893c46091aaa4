import packageJson from "../package.json" with { type: "json" }
import { taskRoot } from "./environment.ts"
import { openApiRoute } from "./http/openapi-route.ts"
import { pagesRoute } from "./http/pages-route.ts"
import { edgeHandler } from "./lambda/http-handler.ts"

/** The pages, `GET /openapi.json`, and the 404 of every path that no function answers. */
export const handler = edgeHandler((app) => {
  app.route("/", openApiRoute(packageJson.version))
  app.route("/", pagesRoute(taskRoot()))
})
