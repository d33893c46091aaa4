import { LRUCache } from "lru-cache"
import type { Database, Row } from "../database/database.ts"
import type { Embedder } from "../inference/inference.ts"
import { parseOpening } from "../inference/model-opening.ts"
import type { TenantModels } from "../inference/tenant-models.ts"
import type { Log } from "../log.ts"
import { askBeside } from "./ask-beside.ts"
import type { ModelPool, NamedModel } from "./open-model-pool.ts"

interface TenantModelsDeps {
  readonly database: Database
  readonly pool: ModelPool
  readonly log: Log
  /** The clock, ms. */
  readonly now?: () => number
}

/** How long a process goes by what it read of a tenant, ms: a new model is in use everywhere after that and its opening. */
const KNOWN_MS = 10_000
const TENANTS_MAX = 10_000

/** Every search of the tenant waits for it. */
const TIMEOUT_MS = 5_000

const MODEL =
  "select model, opening::text as opening from embedding_spaces where state = 'active' and opening is not null"

interface Known {
  readonly at: number
  readonly named: NamedModel | null
}

/** Asks the database which model is the tenant's, and the pool for it. */
export function createTenantModels({
  database,
  pool,
  log,
  now = () => performance.now(),
}: TenantModelsDeps): TenantModels {
  const known = new LRUCache<string, Known>({ max: TENANTS_MAX })
  /** What each tenant was last searched by: its vectors are still there while the next model is being opened. */
  const latest = new LRUCache<string, Embedder>({ max: TENANTS_MAX })

  async function read(tenant: string): Promise<NamedModel | null> {
    const before = known.get(tenant)
    if (before && now() - before.at < KNOWN_MS) return before.named
    const [rows = []] = await database.batch({ tenant }, [{ text: MODEL }], { timeoutMs: TIMEOUT_MS })
    const named = toNamed(rows[0])
    known.set(tenant, { at: now(), named })
    return named
  }

  async function find(tenant: string, standard: Embedder | null): Promise<Embedder | null> {
    const named = await read(tenant)
    if (!named || named.model === standard?.model) return standard
    const { ready, failure, opened } = pool.get(named)
    if (ready) return ready.cached
    const before = failure ? undefined : latest.get(tenant)
    return (
      before ??
      onceOpen(
        named,
        opened.then(({ cached }) => cached),
      )
    )
  }

  async function modelFor(tenant: string, standard: Embedder | null): Promise<Embedder | null> {
    try {
      const found = await find(tenant, standard)
      if (found && !isWaiting(found)) latest.set(tenant, found)
      return found
    } catch (error) {
      // The database doesn't answer, which the search itself will say, or the space is damaged.
      log.error("which model is a tenant's could not be read", { error })
      return latest.get(tenant) ?? standard
    }
  }

  /** Whether whose model it is can be asked when the search embeds, if it does: at once it would be known, or has to be. */
  function canWait(tenant: string, standard: Embedder): boolean {
    const before = known.get(tenant)
    // A model of few languages is asked what it understands before it embeds: those of others would go by words alone.
    if (!before) return standard.languages === undefined
    const isOld = now() - before.at >= KNOWN_MS
    return isOld && (before.named === null || before.named.model === standard.model)
  }

  return {
    forSearch: async (tenant, standard) =>
      standard && canWait(tenant, standard)
        ? askBeside(standard, () => modelFor(tenant, standard), { isLikely: known.has(tenant) })
        : modelFor(tenant, standard),
    async forWrite(tenant, standard) {
      const named = await read(tenant)
      if (!named || named.model === standard?.model) return standard
      return (await pool.get(named).opened).bare
    },
    forget: (tenant) => void known.delete(tenant),
  }
}

function toNamed(row: Row | undefined): NamedModel | null {
  if (!row) return null
  const model = String(row["model"])
  return { model, opening: parseOpening(JSON.parse(String(row["opening"])), model) }
}

const waiting = new WeakSet<Embedder>()
const isWaiting = (embedder: Embedder): boolean => waiting.has(embedder)

/** A model that is still being opened: a search waits for it as long as it waits for any. */
function onceOpen({ model, opening }: NamedModel, opened: Promise<Embedder>): Embedder {
  opened.catch(() => {})
  const embedder: Embedder = {
    model,
    dimensions: opening.dimensions ?? 0,
    maxTokens: 0,
    countTokens: () => 0,
    embed: async (texts, kind, options) => (await opened).embed(texts, kind, options),
  }
  waiting.add(embedder)
  return embedder
}
