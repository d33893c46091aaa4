import * as z from "zod"
import type { ErrorCode } from "../../lib/errors.ts"
import { STATUSES } from "./statuses.ts"

/** Body of every error: RFC 9457, with our `code`, the request's id and the wrong fields. */
export const Problem = z.object({
  type: z.string().describe("A URN of the code"),
  title: z.string(),
  status: z.int(),
  detail: z.string().optional(),
  code: z.enum(Object.keys(STATUSES) as [ErrorCode, ...ErrorCode[]]),
  request_id: z.string(),
  errors: z.array(z.object({ field: z.string(), message: z.string() })).optional(),
  retry_after_s: z
    .int()
    .optional()
    .describe("Seconds after which it may be tried again, where that is known: an `error` event has no `Retry-After`"),
})
export type Problem = z.infer<typeof Problem>
