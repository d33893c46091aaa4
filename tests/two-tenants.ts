import { randomUUID } from "node:crypto"
import type { Row, SqlValue } from "../lib/database/database.ts"
import { deadlineIn } from "../lib/deadline.ts"
import { createIndexDocuments } from "../lib/documents/index-documents.ts"
import { IndexRequest } from "../lib/documents/index-request.ts"
import { openTestDatabase, type TestDatabase } from "./database.ts"
import { asSuperuser, testServerUrl } from "./postgres-server.ts"

/** The two tenants of `openTwoTenants`. They have the same ids; `keeper` and `smuggler` stand in one of them alone. */
export const OURS = "ours"
export const THEIRS = "theirs"

const DOCUMENTS = {
  [OURS]: [
    {
      id: "1",
      title: "Harbour",
      chunks: [{ content: "The keeper of the harbour light.", embedding: [1, 0, 0], entities: [{ name: "Keeper" }] }],
    },
    { id: "2", title: "Rope", content: "Rope and tar at the harbour store.", embedding: [0, 1, 0] },
  ],
  [THEIRS]: [
    {
      id: "1",
      title: "Harbour",
      chunks: [
        { content: "A smuggler in the harbour at night.", embedding: [1, 0, 0.1], entities: [{ name: "Smuggler" }] },
      ],
    },
    { id: "2", title: "Brandy", content: "Brandy for the smuggler, harbour side.", embedding: [0.9, 0.1, 0] },
  ],
}

/** What one login of PostgreSQL may run. */
export interface RoleSession {
  query<R extends Row = Row>(text: string, values?: readonly SqlValue[]): Promise<R[]>
}

/** A database of two tenants, and other people's ways into it. */
export interface TwoTenants extends TestDatabase {
  /** Makes a login of its own, a member of `group`, that goes when the database does. Its name needs no quotes. */
  createLogin(group?: string): Promise<string>
  /** Runs `work` in a session of its own, in which PostgreSQL takes us for `login`. */
  asLogin<T>(login: string, work: (session: RoleSession) => Promise<T>): Promise<T>
}

export async function openTwoTenants(): Promise<TwoTenants> {
  const db = await openTestDatabase()
  const index = createIndexDocuments({ database: db.database, embedder: null })
  for (const [tenant, documents] of Object.entries(DOCUMENTS)) {
    const requests = documents.map((document) => IndexRequest.parse(document))
    for (const outcome of await index(tenant, requests, deadlineIn(60_000))) {
      if ("failed" in outcome) throw outcome.failed
    }
  }
  const [row] = await db.owner.session((session) => session.query("select current_database()::text as name"))
  const name = String(row?.["name"])
  const logins: string[] = []

  /** A superuser's session: only such a one can become anybody. On PGlite the owner is one. */
  function asAnybody<T>(work: (session: RoleSession) => Promise<T>): Promise<T> {
    if (!testServerUrl()) return db.owner.session(work)
    return asSuperuser(name, (client) =>
      work({
        async query<R extends Row>(text: string, values?: readonly SqlValue[]) {
          return (await client.query<R>(text, values && [...values])).rows
        },
      }),
    )
  }

  return {
    ...db,
    async createLogin(group) {
      const login = `concordance_test_${randomUUID().replaceAll("-", "")}`
      await asAnybody((session) => session.query(`create role ${login} login ${group ? `in role ${group}` : ""}`))
      logins.push(login)
      return login
    },
    asLogin: (login, work) =>
      asAnybody(async (session) => {
        const [was] = await session.query("select session_user::text as name")
        await session.query("set search_path = concordance, public, pg_temp")
        await session.query(`set session authorization ${login}`)
        try {
          return await work(session)
        } finally {
          // PGlite has one session for all, and keeps who it is through RESET and DISCARD ALL.
          await session.query("rollback")
          await session.query(`set session authorization ${String(was?.["name"])}`)
        }
      }),
    async close() {
      await db.close()
      if (!testServerUrl()) return
      // Roles belong to the server; what they owned went with the database.
      await asSuperuser("postgres", async (client) => {
        for (const login of logins) await client.query(`drop role ${login}`)
      })
    },
  }
}

/** Weights for `lexical_candidates`: 1 for the dimension of `harbour` in English, a word of every chunk of both tenants. */
export const HARBOUR = "'{45100777:1}/999999937'::sparsevec"

/**
 * The leak test of the candidates function: asks it, as one tenant, for chunks that both have, and gives back the keys
 * that it found apart by owner. `foreign` must be empty, `own` must not.
 */
export async function candidatesByOwner(db: TestDatabase, tenant: string): Promise<{ own: number; foreign: number }> {
  const [found = []] = await db.database.batch({ tenant }, [
    {
      text: `select chunk_key::text as key
               from lexical_candidates(${HARBOUR}, 'harbour | keeper | smuggler', null, null, null, 1000)`,
    },
  ])
  const chunks = await db.owner.session((session) =>
    session.query("select key::text as key from concordance.chunks where source_account_id = $1", [tenant]),
  )
  const own = new Set(chunks.map(({ key }) => key))
  const foreign = found.filter(({ key }) => !own.has(key)).length
  return { own: found.length - foreign, foreign }
}
