import type { CountUsage, UsageCounts } from "../count-usage.ts"
import type { Database } from "../database/database.ts"
import type { Log } from "../log.ts"

/** Counts what tenants use, and adds it up in the database now and then. */
export interface UsageMeter {
  readonly count: CountUsage
  /** Adds up what was counted so far. Never rejects: what could not be added up is tried again. */
  flush(): Promise<void>
  /** Adds up the rest. */
  close(): Promise<void>
}

interface UsageMeterOptions {
  readonly database: Database
  /**
   * `timer`: every 5 s, beside everything else. `calls`: a call of `count` waits for it, the first one and then one in 5 s, where
   * a process sleeps between requests.
   */
  readonly flushing: "timer" | "calls"
  readonly log: Log
  /** Milliseconds of a clock that never jumps. */
  readonly now?: () => number
}

const EVERY_MS = 5_000
/** Tenants with counts that couldn't be added up: those of more are dropped, or a database that is down would fill the memory. */
const TENANTS_MAX = 10_000

const COLUMNS = {
  searches: "searches",
  answers: "answers",
  embeddedTokens: "embedded_tokens",
  documents: "documents",
  passages: "passages",
  pages: "pages",
  crops: "crops",
} as const satisfies Record<keyof UsageCounts, string>
const NAMES = Object.keys(COLUMNS) as (keyof UsageCounts)[]

const ADD = `
  insert into usage_days as u (source_account_id, day, ${Object.values(COLUMNS).join(", ")})
  values (current_setting('app.source_account_id', true), (now() at time zone 'utc')::date,
          ${NAMES.map((_, i) => `$${i + 1}::bigint`).join(", ")})
  on conflict (source_account_id, day) do update
     set ${Object.values(COLUMNS)
       .map((name) => `${name} = u.${name} + excluded.${name}`)
       .join(", ")}`

/**
 * Keeps counts in this process and adds them to `usage_days` later, so that no request waits for its count. A count stands with the
 * day, by the database's clock, on which it was added up. A process that is killed loses what it counted since it last did:
 * on a server the last 5 s, on a Lambda what came within 5 s of a count that was added up and wasn't followed by another. A
 * connection that breaks between commit and answer counts one tenant's few seconds twice.
 */
export function createUsageMeter({
  database,
  flushing,
  log,
  now = () => performance.now(),
}: UsageMeterOptions): UsageMeter {
  const waiting = new Map<string, Partial<Record<keyof UsageCounts, number>>>()
  let timer: NodeJS.Timeout | undefined
  let flushedAt = -Infinity
  let underway: Promise<void> | null = null

  function add(tenant: string, counts: Partial<UsageCounts>): void {
    const known = waiting.get(tenant)
    if (!known && waiting.size >= TENANTS_MAX) return
    const sum = known ?? {}
    for (const name of NAMES) if (counts[name]) sum[name] = (sum[name] ?? 0) + counts[name]
    waiting.set(tenant, sum)
  }

  async function addUp(): Promise<void> {
    flushedAt = now()
    const taken = [...waiting]
    waiting.clear()
    for (const [at, [tenant, counts]] of taken.entries()) {
      try {
        const values = NAMES.map((name) => counts[name] ?? 0)
        await database.batch({ tenant }, [{ text: ADD, values }])
      } catch (error) {
        for (const [other, rest] of taken.slice(at)) add(other, rest)
        log.warn("usage could not be added up; it is tried again", { tenants: taken.length - at, error })
        return
      }
    }
  }

  async function flush(): Promise<void> {
    while (underway) await underway
    if (waiting.size === 0) return
    underway = addUp().finally(() => {
      underway = null
    })
    await underway
  }

  function startTimer(): void {
    timer ??= setTimeout(() => {
      timer = undefined
      void flush().then(() => waiting.size > 0 && startTimer())
    }, EVERY_MS).unref()
  }

  return {
    async count(tenant, counts) {
      add(tenant, counts)
      if (flushing === "timer") startTimer()
      else if (now() - flushedAt >= EVERY_MS) await flush()
    },
    flush,
    async close() {
      clearTimeout(timer)
      await flush()
    },
  }
}
