import { AwsClient } from "aws4fetch"
import * as z from "zod"
import { currentOrigin, REQUEST_ID } from "../activity.ts"
import { createInferenceService, type InferenceService } from "./inference-service.ts"

interface LambdaServiceOptions {
  readonly functionName: string
  readonly region: string
  readonly credentials: {
    readonly accessKeyId: string
    readonly secretAccessKey: string
    readonly sessionToken?: string | undefined
  }
  /** In place of Lambda's own, where an emulator answers. */
  readonly endpoint?: string | undefined
  /** How long one attempt may take, ms; 60 s when not given: the first call of a new instance loads its model. */
  readonly attemptTimeoutMs?: number
}

/** What is sent to functions/inference: a path of its HTTP surface, and the body as that takes it; none is a GET. */
export const InferenceCall = z.object({
  path: z.string().regex(/^\/[\w/-]*$/),
  body: z.unknown().optional(),
  /** For whom it works. What isn't decent is left out, and nothing else for its sake. */
  requestId: z.string().regex(REQUEST_ID).optional().catch(undefined),
  traceparent: z.string().max(100).optional().catch(undefined),
})

/** What it answers. */
export const InferenceAnswer = z.object({ status: z.int().min(200).max(599), body: z.unknown().optional() })
export type InferenceAnswer = z.output<typeof InferenceAnswer>

/**
 * Calls the models' Lambda as if it were a service behind HTTP: throttles and failures are tried again by
 * `createInferenceService`. Requests are signed here (aws4fetch): the SDK's client takes a cold start 100 ms.
 */
export function createLambdaService(options: LambdaServiceOptions): InferenceService {
  const { functionName, region, credentials, attemptTimeoutMs = 60_000 } = options
  const { endpoint = `https://lambda.${region}.amazonaws.com` } = options
  const { sessionToken, ...keys } = credentials
  // Its own retries would not see what a failed function answers.
  const aws = new AwsClient({ ...keys, ...(sessionToken && { sessionToken }), service: "lambda", region, retries: 0 })
  const url = `${endpoint}/2015-03-31/functions/${encodeURIComponent(functionName)}/invocations`
  return createInferenceService({
    setting: "INFERENCE_FUNCTION",
    baseUrl: endpoint,
    attemptTimeoutMs,
    send: async (path, body, signal) => {
      // The body is text already, and large.
      const payload = `${JSON.stringify({ path, ...currentOrigin() }).slice(0, -1)},"body":${body}}`
      const response = await aws.fetch(url, { method: "POST", body: payload, signal })
      if (!response.ok) return response
      // The function itself broke down, or ran out of time or memory.
      if (response.headers.has("x-amz-function-error")) return new Response(null, { status: 502 })
      const answer = InferenceAnswer.safeParse(await response.json())
      return answer.success ? Response.json(answer.data.body, { status: answer.data.status }) : Response.json(null)
    },
  })
}
