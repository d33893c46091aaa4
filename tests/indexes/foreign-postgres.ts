import { openPgAccess, type PgAccess, pgFailure } from "../../lib/indexes/pgvector/pg-access.ts"
import type { TestDatabase } from "../database.ts"

/** A test's database as a foreign one: through its owner, or over TCP where it stands on a server. */
export function accessTo({ owner, database, urls }: TestDatabase): PgAccess {
  if (urls && database.driver === "pg") return openPgAccess(urls.owner)
  return {
    address: "test",
    transaction: (work) =>
      owner.session((session) =>
        session.transaction(() =>
          work((text, values) =>
            session.query(text, values).catch((error: unknown) => {
              throw pgFailure(error, "test")
            }),
          ),
        ),
      ),
    close: () => Promise.resolve(),
  }
}
