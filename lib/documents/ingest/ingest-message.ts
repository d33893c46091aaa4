import * as z from "zod"
import { currentOrigin } from "../../activity.ts"
import { DocumentId, TenantId } from "../../shapes.ts"

/** For whose request a message's work is. What isn't decent is left out, and no work for its sake. */
const ORIGIN = {
  requestId: z.string().max(128).optional().catch(undefined),
  traceparent: z.string().max(100).optional().catch(undefined),
}

/** Work on a document's job. */
const RunMessage = z.object({
  ...ORIGIN,
  kind: z.literal("run"),
  tenant: TenantId,
  documentId: DocumentId,
  /** Who has handed the job on: it is taken whatever its lease. */
  worker: z.string().optional(),
  /** Only looks whether somebody works on the job still; doesn't reopen one that failed. */
  isWatch: z.boolean().optional(),
})

/** Read some pages of a document's job. */
const PagesMessage = z.object({
  ...ORIGIN,
  kind: z.literal("pages"),
  tenant: TenantId,
  documentId: DocumentId,
  generation: z.string().regex(/^\d+$/),
  /** Who holds the job: all that read pages of it. */
  worker: z.string(),
  /** First page. */
  from: z.int().min(1),
  /** Last page. */
  to: z.int().min(1),
})
export type PagesMessage = z.infer<typeof PagesMessage>

/** What the ingestion tells itself through a queue. Each may come twice, late, or before an earlier one. */
export const IngestMessage = z.discriminatedUnion("kind", [RunMessage, PagesMessage])
export type IngestMessage = z.infer<typeof IngestMessage>

/** The message's text in the queue. Whoever works on it works for the same request as whoever sends it. */
export const messageBody = (message: object): string => JSON.stringify({ ...message, ...currentOrigin() })

/** Puts messages into the queue; none is handed out before `delayS` seconds (0 to 900) are over. */
export type SendMessages = (messages: readonly IngestMessage[], delayS?: number) => Promise<void>
