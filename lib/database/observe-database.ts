import { measure, stage } from "../activity.ts"
import type { Database, Statement } from "./database.ts"

/**
 * The same database, whose work is traced and measured by OpenTelemetry's conventions. A batch is called by what its statements do and to
 * which table, which our own SQL says; text and values stay out.
 */
export function observeDatabase(database: Database): Database {
  const observed = <T>(
    operation: string,
    summary: string,
    count: number | null,
    work: () => Promise<T>,
  ): Promise<T> => {
    const attributes = { "db.system.name": "postgresql", "db.operation.name": operation }
    const onEnd = (ms: number) => measure("db.client.operation.duration", ms / 1_000, attributes)
    return stage(
      "db",
      (span) => {
        span?.set({ "db.query.summary": summary, ...(count !== null && { "db.operation.batch.size": count }) })
        return work()
      },
      { kind: "client", attributes, onEnd },
    )
  }
  return {
    ...database,
    batch: (scope, statements, options) =>
      observed("BATCH", statements.map(summaryOf).join("; ").slice(0, 255), statements.length, () =>
        database.batch(scope, statements, options),
      ),
    transaction: (scope, work, options) =>
      observed("TRANSACTION", "transaction", null, () => database.transaction(scope, work, options)),
  }
}

/** `select chunks`, `insert ingest_jobs`: the first of each that the text names. */
function summaryOf({ text }: Statement): string {
  const verb = /\b(insert|update|delete|select)\b/i.exec(text)?.[1]?.toLowerCase() ?? "other"
  const place = /\b(?:from|into|update)\s+(?:only\s+)?(?:concordance\.)?([a-z_]{1,40})\b/i.exec(text)?.[1]
  return place === undefined ? verb : `${verb} ${place}`
}
