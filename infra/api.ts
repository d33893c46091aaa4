import { createLambda, keepWarm } from "./create-lambda.ts"
import { database } from "./database.ts"
import { inferenceLinks } from "./inference.ts"
import { migration } from "./migrate.ts"
import { router } from "./router.ts"
import { apiRoutes, streamedPaths } from "./routes.ts"
import { llmApiKey, spacesApiKey } from "./secrets.ts"
import { stage } from "./stage.ts"
import { mayListObjects, mayOnObjects, objects } from "./storage.ts"

/** Longest that API Gateway waits is 30 s: the handler has to give up first, so that its own error arrives. */
const HTTP_TIMEOUT_SECONDS = 29
const STREAM_TIMEOUT_SECONDS = 300
const after = [migration]

export const search = createLambda("Search", {
  handler: "functions/search.handler",
  memoryMb: 1_024,
  timeoutSeconds: HTTP_TIMEOUT_SECONDS,
  link: [database, spacesApiKey],
  models: inferenceLinks,
  searches: true,
  after,
  more: { versioning: stage.searchProvisioned > 0 },
})

const index = createLambda("Index", {
  handler: "functions/index.handler",
  memoryMb: 1_024,
  timeoutSeconds: HTTP_TIMEOUT_SECONDS,
  link: [database, spacesApiKey],
  models: inferenceLinks,
  after,
})

const health = createLambda("Health", {
  handler: "functions/health.handler",
  memoryMb: 512,
  timeoutSeconds: 10,
  link: [database],
  models: inferenceLinks,
  searches: true,
  after,
})

const crop = createLambda("Crop", {
  handler: "functions/crop.handler",
  memoryMb: 1_769,
  timeoutSeconds: HTTP_TIMEOUT_SECONDS,
  link: [database, objects],
  permissions: [mayListObjects, mayOnObjects(["pages", "images"], ["s3:GetObject"])],
  after,
  more: { nodejs: { install: ["sharp"] } },
})

const documents = createLambda("Documents", {
  handler: "functions/documents.handler",
  memoryMb: 1_024,
  timeoutSeconds: HTTP_TIMEOUT_SECONDS,
  link: [database, objects],
  searches: true,
  permissions: [
    mayListObjects,
    mayOnObjects(["uploads"], ["s3:GetObject", "s3:PutObject", "s3:DeleteObject"]),
    mayOnObjects(["pages", "images"], ["s3:DeleteObject"]),
  ],
  after,
})

const models = createLambda("Models", {
  handler: "functions/models.handler",
  memoryMb: 512,
  timeoutSeconds: HTTP_TIMEOUT_SECONDS,
  link: [database],
  models: inferenceLinks,
  after,
})

/** By a Function URL, past the API and its throttle. */
const streamed = {
  streaming: true,
  url: { cors: false },
  ...(stage.streamsMax && { concurrency: { reserved: stage.streamsMax } }),
} as const

const answer = createLambda("Answer", {
  handler: "functions/answer.handler",
  memoryMb: 1_024,
  timeoutSeconds: STREAM_TIMEOUT_SECONDS,
  link: [database, spacesApiKey, llmApiKey],
  models: inferenceLinks,
  searches: true,
  after,
  more: streamed,
})

const mcp = createLambda("Mcp", {
  handler: "functions/mcp.handler",
  // It draws pictures, as Crop does.
  memoryMb: 1_769,
  timeoutSeconds: STREAM_TIMEOUT_SECONDS,
  link: [database, spacesApiKey, llmApiKey, objects],
  models: inferenceLinks,
  searches: true,
  permissions: [mayListObjects, mayOnObjects(["pages", "images"], ["s3:GetObject"])],
  after,
  more: { ...streamed, nodejs: { install: ["sharp"] } },
})

export const api = new sst.aws.ApiGatewayV2("Api", {
  // The handlers answer for CORS_ORIGINS themselves: a preflight comes to `$default`, and two sets of headers would be none.
  cors: false,
  accessLog: { retention: "1 month" },
  transform: {
    stage: (args) => {
      // SST's format names the path, and ids of documents may say what they are about.
      args.accessLogSettings = $resolve([args.accessLogSettings]).apply(([settings]) => ({
        destinationArn: settings?.destinationArn ?? "",
        format: JSON.stringify({
          requestId: "$context.requestId",
          route: "$context.routeKey",
          status: "$context.status",
          ms: "$context.responseLatency",
          integrationMs: "$context.integration.latency",
        }),
      }))
      // What a flood may cost is bounded; docs/operations.md says when to raise it.
      args.defaultRouteSettings = { throttlingRateLimit: 100, throttlingBurstLimit: 200 }
    },
  },
})

const functions = { search, index, health, crop, documents, models }

/** Every function that answers requests, by its name in `functions/`. */
export const lambdas = { ...functions, answer, mcp }

for (const [name, lambda] of Object.entries(functions)) {
  const arn = name === "search" && stage.searchProvisioned > 0 ? warmSearch().arn : lambda.arn
  for (const route of apiRoutes[name as keyof typeof functions]) api.route(route, arn)
}

// Above API Gateway's own 30 s, so that its answer arrives; SST's default would end a request after 20 s.
router.route("/", api.url, { readTimeout: "35 seconds" })
for (const [name, lambda] of Object.entries({ answer, mcp })) {
  for (const path of streamedPaths[name as keyof typeof streamedPaths]) {
    // The longest silence, not the longest answer: streams send something more often than that.
    router.route(path, lambda.url, { readTimeout: "60 seconds" })
  }
}

function warmSearch(): aws.lambda.Alias {
  const version = { functionName: search.name, functionVersion: search.nodes.function.version }
  return keepWarm("Search", version, stage.searchProvisioned)
}
