import { runFor } from "../../activity.ts"
import type { Log } from "../../log.ts"
import { type BucketRecord, ownerOf } from "./bucket-notification.ts"
import type { Ingest } from "./create-ingest.ts"
import type { IngestMessage } from "./ingest-message.ts"
import type { Delivery } from "./work-message.ts"

interface WorkRecordParts {
  readonly ingest: Pick<Ingest, "received" | "removed" | "documentOf" | "originOf" | "cleanUp">
  readonly workMessage: (message: IngestMessage, delivery: Delivery) => Promise<void>
  readonly log: Log
}

/**
 * Applies what a bucket tells of one object, and works on the job that there is then. Returns whose it was; null where
 * nobody's. Throws as `createWorkMessage`.
 */
export function createWorkRecord({ ingest, workMessage, log }: WorkRecordParts) {
  async function take(tenant: string, documentId: string, record: BucketRecord, delivery: Delivery): Promise<void> {
    const status = await ingest.received(tenant, documentId, record)
    if (status === "refused")
      log.warn("a file came that nobody had announced: not read", { tenant, bytes: record.bytes })
    if (status === "refused" || status === "ready") return
    // A file that came after its document was deleted is taken away.
    if (status === "ignored") await ingest.cleanUp(tenant, documentId)
    // Told again, it may be that whoever heard of it first is dead.
    await workMessage({ kind: "run", tenant, documentId }, delivery)
  }

  return async (record: BucketRecord, delivery: Delivery): Promise<string | null> => {
    const owner = ownerOf(record.key)
    const documentId = owner && (owner.documentId ?? (await ingest.documentOf(owner.tenant, record.key)))
    if (!owner || documentId === null) {
      const { version, bytes } = record
      if (record.kind === "created")
        log.error("a file came whose place names no document: not read", { version, bytes })
      return null
    }
    const { tenant } = owner
    if (record.kind === "removed") {
      await ingest.removed(tenant, documentId, record)
      return tenant
    }
    await runFor(await ingest.originOf(tenant, record.key), "ingest", () => take(tenant, documentId, record, delivery))
    return tenant
  }
}
