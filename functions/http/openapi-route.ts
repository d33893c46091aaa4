import { Hono } from "hono"
import { anomaliesOperations } from "./anomalies-route.ts"
import { answerOperations } from "./answer-route.ts"
import { collectionOperations } from "./collection-route.ts"
import { documentPagesOperations } from "./document-pages-route.ts"
import { documentsOperations } from "./documents-route.ts"
import type { Edge } from "./edge.ts"
import { entitiesOperations } from "./entities-route.ts"
import { feedbackOperations } from "./feedback-route.ts"
import { healthOperations } from "./health-operations.ts"
import { indexOperations } from "./index-route.ts"
import { inferenceOperations } from "./inference-route.ts"
import { mcpOperations } from "./mcp-route.ts"
import { openApiDocument } from "./openapi.ts"
import { picturesOperations } from "./pictures-route.ts"
import { searchOperations } from "./search-route.ts"
import { uploadsOperations } from "./uploads-route.ts"
import { usageOperations } from "./usage-route.ts"

const OPERATIONS = [
  ...searchOperations,
  ...feedbackOperations,
  ...answerOperations,
  ...indexOperations,
  ...uploadsOperations,
  ...documentsOperations,
  ...collectionOperations,
  ...documentPagesOperations,
  ...picturesOperations,
  ...entitiesOperations,
  ...anomaliesOperations,
  ...healthOperations,
  ...inferenceOperations,
  ...usageOperations,
  ...mcpOperations,
]

/** `GET /openapi.json`: the contract, from the schemas that validate. Needs no key: it says nothing of any tenant. */
export function openApiRoute(version: string) {
  let document: Record<string, unknown> | undefined
  return new Hono<Edge>().get("/openapi.json", (c) => {
    document ??= openApiDocument(OPERATIONS, version)
    return c.json(document)
  })
}
