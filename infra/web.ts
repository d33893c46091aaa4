import { api } from "./api.ts"
import { createLambda } from "./create-lambda.ts"
import { migration } from "./migrate.ts"
import { apiRoutes } from "./routes.ts"

const SWAGGER = ["package.json", "swagger-ui.css", "swagger-ui-bundle.js"]

/** The reference of functions/http/reference and the contract. Files alone: it reaches neither database nor bucket. */
const pages = createLambda("Pages", {
  handler: "functions/pages.handler",
  memoryMb: 512,
  timeoutSeconds: 10,
  link: [],
  after: [migration],
  more: {
    copyFiles: [
      { from: "functions/http/reference" },
      ...SWAGGER.map((file) => ({ from: `node_modules/swagger-ui-dist/${file}` })),
    ],
  },
})

for (const route of apiRoutes.pages) api.route(route, pages.arn)
