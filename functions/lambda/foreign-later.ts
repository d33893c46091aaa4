import type { Config } from "../../lib/config.ts"
import type { Database } from "../../lib/database/database.ts"
import { once } from "../../lib/once.ts"
import type { SearchedIndex } from "../../lib/runtime/open-searched-index.ts"

type Foreign = NonNullable<SearchedIndex["foreign"]>

/** The external index of a function that works without it too: opened when it is first asked. Null where the database is the index. */
export function foreignLater(config: Config, database: Database): Foreign | null {
  if (config.vectordbProvider === "concordance") return null
  const opened = once(async () => {
    const { openSearchedIndex } = await import("../../lib/runtime/open-searched-index.ts")
    const { foreign } = await openSearchedIndex(config, database, null, { tenants: async () => [] })
    return foreign as Foreign
  })
  return {
    engine: config.vectordbProvider,
    readPassage: async (...asked) => (await opened()).readPassage(...asked),
    health: async (signal) => (await opened()).health(signal),
  }
}
