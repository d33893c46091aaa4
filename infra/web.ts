import { api } from "./api.ts"
import { createLambda } from "./create-lambda.ts"
import { migration } from "./migrate.ts"
import { router } from "./router.ts"
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

const distributionArn = router.nodes.cdn.nodes.distribution.arn

/** The reading room: files in a bucket. infra/routes.ts brings its addresses under this path. */
new sst.aws.StaticSite("Web", {
  build: { command: "npm run -s web:build", output: "web/dist" },
  router: { instance: router, path: "/web" },
  assets: {
    fileOptions: [
      { files: "**", cacheControl: "public,max-age=3600" },
      { files: "assets/**", cacheControl: "public,max-age=31536000,immutable" },
      { files: "**/*.html", cacheControl: "no-cache" },
    ],
  },
  transform: {
    assets: (args) => {
      args.cors = false
      // In place of SST's own statement, which lets in the distributions of every account.
      args.access = undefined
      args.policy = [
        {
          principals: [{ type: "service", identifiers: ["cloudfront.amazonaws.com"] }],
          actions: ["s3:GetObject"],
          paths: ["*"],
          conditions: [{ test: "StringEquals", variable: "AWS:SourceArn", values: [distributionArn] }],
        },
      ]
    },
  },
})
