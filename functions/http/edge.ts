import type { HttpBindings } from "@hono/node-server"
import type { Principal } from "../../lib/keys/api-key.ts"
import type { EndWithKey } from "./end-with-key.ts"
import type { RequestRates } from "./rate-headers.ts"

/** What Lambda tells of one invocation. */
interface LambdaInvocation {
  readonly awsRequestId: string
  getRemainingTimeInMillis(): number
}

/** What every route finds in Hono's context. */
export interface Edge {
  /** Node's request and response; absent where another platform, or a test, calls the app. */
  Bindings: Partial<HttpBindings> & {
    readonly lambdaContext?: LambdaInvocation
    /** Of API Gateway or a Function URL: who called it. */
    readonly requestContext?: { readonly http?: { readonly sourceIp?: string } }
  }
  Variables: {
    requestId: string
    /** Set behind a guard. */
    principal: Principal
    /** Set behind a guard. */
    rates: RequestRates
    /** Set behind a guard. */
    endWithKey: EndWithKey
    /** Set behind `validJson`: what of the body had no effect. */
    warnings: readonly string[]
  }
}
