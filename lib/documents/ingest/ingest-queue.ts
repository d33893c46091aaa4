import { runBeside } from "../../activity.ts"
import type { OwnerDatabase } from "../../database/database.ts"
import type { Log } from "../../log.ts"
import { createBackgroundRuns, type IngestListener } from "./background-runs.ts"
import type { Ingest } from "./create-ingest.ts"
import type { Receive } from "./receive.ts"

interface IngestQueueOptions extends IngestListener {
  readonly ingest: Ingest
  /** Documents worked on at once; their pages share the reader's workers. */
  readonly documentsAtOnce: number
  /** No other process works on this database. */
  readonly isAlone: boolean
  readonly log: Log
}

/** The ingestion of one process, in the background: what comes in is worked on, a few documents at a time. */
export interface IngestQueue extends Receive {
  /** Sweeps ride on writes that are no uploads too: looks through the tenant's leftovers, once a minute at most. */
  wrote(tenant: string): void
  /** Takes up what earlier processes left, and removes their leftovers. */
  resumeAll(tenants: readonly string[]): Promise<void>
  /** Resolves when nothing waits and nothing runs. */
  idle(): Promise<void>
  /** Puts the work down where it is; what is committed stays for the next start. */
  close(): Promise<void>
}

/** Between two looks at what a tenant's dead workers left, ms; a look takes one query. */
const TIDY_EVERY_MS = 60_000
/** After another worker's lease, ms: clocks differ. */
const LEASE_GRACE_MS = 1_000

export function createIngestQueue(options: IngestQueueOptions): IngestQueue {
  const { ingest, isAlone, log } = options
  const runs = createBackgroundRuns(options)
  /** By a clock that nobody sets. */
  const tidied = new Map<string, number>()
  let isClosed = false

  /**
   * Takes up a tenant's abandoned jobs; those of workers who may live are looked at again when their lease is over. Removes
   * leftovers.
   */
  async function tidy(tenant: string): Promise<void> {
    tidied.set(tenant, performance.now())
    for (const { id, state, leaseMs } of await ingest.pending(tenant)) {
      if (runs.has(tenant, id)) continue
      else if (state === "queued" || isAlone || leaseMs <= 0) runs.push(tenant, id, {})
      else runs.pushIn(leaseMs + LEASE_GRACE_MS, tenant, id)
    }
    for (const id of await ingest.leftovers(tenant)) {
      if (isClosed) return
      await ingest.cleanUp(tenant, id)
    }
  }

  /** Sweeps ride on writes: nothing here wakes up by itself. */
  function afterWrite(tenant: string, id: string, status: string | null): void {
    if (status === "queued") runs.push(tenant, id)
    wrote(tenant)
  }

  function wrote(tenant: string): void {
    if (isClosed || performance.now() - (tidied.get(tenant) ?? -Infinity) < TIDY_EVERY_MS) return
    // What the retention deletes, or another's dead worker left, is not the request's that wrote.
    runBeside(() => tidy(tenant)).catch((error: unknown) =>
      log.warn("what earlier uploads left could not be looked through", { error }),
    )
  }

  return {
    ...ingest,
    wrote,
    async add(tenant, request, file) {
      const added = await ingest.add(tenant, request, file)
      afterWrite(tenant, added.id, added.status)
      return added
    },
    async received(tenant, id, event) {
      const status = await ingest.received(tenant, id, event)
      afterWrite(tenant, id, status)
      return status
    },
    async collect(tenant, id) {
      const status = await ingest.collect(tenant, id)
      if (status !== null) afterWrite(tenant, id, status)
      return status
    },
    async resumeAll(tenants) {
      for (const tenant of tenants) {
        await tidy(tenant)
        // Nobody else stores anything, so what no row names is a killed worker's.
        if (isAlone) await ingest.sweep(tenant)
      }
    },
    idle: () => runs.idle(),
    async close() {
      isClosed = true
      await runs.close()
    },
  }
}

/**
 * Tenants with uploads that wait, with leftovers, or with documents older than the retention. For whoever starts: it reads
 * every tenant's rows.
 */
export async function tenantsWithWork(owner: OwnerDatabase, retentionDays?: number): Promise<string[]> {
  const rows = await owner.session((session) =>
    session.query<{ tenant: string }>(
      `
      select source_account_id as tenant from concordance.ingest_jobs
       where state in ('queued', 'processing', 'superseded')
      union select source_account_id from concordance.uploads where expires_at < now()
      union select source_account_id from concordance.documents
       where status <> 'deleted' and updated_at < now() - $1::float8 * interval '1 day'
       order by 1`,
      [retentionDays ?? null],
    ),
  )
  return rows.map(({ tenant }) => tenant)
}
