import { expect, test } from "vitest"
import type { Database } from "../lib/database/database.ts"
import { deadlineIn } from "../lib/deadline.ts"
import { createDocuments } from "../lib/documents/documents.ts"
import { createIndexDocuments } from "../lib/documents/index-documents.ts"
import { IndexRequest } from "../lib/documents/index-request.ts"
import { randomFrom } from "../lib/random.ts"
import { openTestDatabase, type TestDatabase } from "./database.ts"
import { testServerUrl } from "./postgres-server.ts"
import { DISAGREEMENTS, randomDocument, recount } from "./word-counts.ts"

// The document frequencies that BM25 reads are exact after any order of writes, and at any time during them.

const TENANTS = ["ours", "theirs"]
/** Few enough that writers meet on the same documents all the time. */
const IDS = 25

/** `operations` random upserts, batches and deletes, one after another. */
async function write(database: Database, seed: number, operations: number): Promise<void> {
  const random = randomFrom(seed)
  const index = createIndexDocuments({ database, embedder: null })
  const documents = createDocuments(database)
  const anyId = () => `document ${Math.floor(random() * IDS)}`
  for (let i = 0; i < operations; i++) {
    const tenant = TENANTS[i % 2] ?? ""
    if (random() < 0.3) {
      await documents.delete(tenant, anyId())
      continue
    }
    const size = random() < 0.2 ? 5 : 1
    const requests = Array.from({ length: size }, () => IndexRequest.parse(randomDocument(random, anyId())))
    for (const outcome of await index(tenant, requests, deadlineIn(120_000))) {
      if ("failed" in outcome) throw outcome.failed
    }
  }
}

/** Calls `step` over and over until `work` is done; how often. */
async function during(work: Promise<unknown>, step: () => Promise<unknown>): Promise<number> {
  let done = false
  const finished = work.finally(() => {
    done = true
  })
  // Whoever awaits the work gets its failure.
  finished.catch(() => undefined)
  let steps = 0
  while (!done) {
    await step()
    steps++
  }
  return steps
}

const compact = (database: Database, tenant: string) =>
  database.batch({ tenant }, [{ text: "select compact_lexeme_counts($1)", values: [tenant] }])

async function expectExact(db: TestDatabase): Promise<void> {
  const { disagreements, sizes } = await recount(db)
  expect(disagreements).toEqual([])
  expect(Number(sizes["chunks"])).toBeGreaterThan(IDS)
  for (const tenant of TENANTS) await compact(db.database, tenant)
  const folded = await recount(db)
  expect(folded.disagreements).toEqual([])
  expect(folded.sizes).toMatchObject({ chunks: sizes["chunks"], deltas: 0 })
  const [[negative] = []] = await db.database.batch({ tenant: "ours" }, [
    { text: "select count(*)::int as n from lexeme_counts where chunks < 0" },
  ])
  expect(negative).toEqual({ n: 0 })
}

test("200 random upserts and deletes, compacted on the way: counts and chunks agree word by word", {
  timeout: 180_000,
}, async () => {
  const db = await openTestDatabase()
  try {
    await write(db.database, 1, 100)
    await compact(db.database, "ours")
    await write(db.database, 2, 100)
    await expectExact(db)
  } finally {
    await db.close()
  }
})

/** Documents of one chunk each, all of it words that no other has: 200 of them are 10,200 differences. */
const load = async (database: Database, tenant: string, words: string) => {
  const requests = Array.from({ length: 200 }, (_, i) => {
    const content = Array.from({ length: 50 }, (_, n) => `${words}${i}x${n}`).join(" ")
    return IndexRequest.parse({ id: `${words} ${i}`, content, language: "de" })
  })
  const outcomes = await createIndexDocuments({ database, embedder: null })(tenant, requests, deadlineIn(120_000))
  expect(outcomes.filter((outcome) => "failed" in outcome)).toEqual([])
}

test("a load of many chunks is counted at once, together with the differences of earlier writes", async () => {
  const db = await openTestDatabase()
  try {
    await write(db.database, 3, 60)
    const before = await recount(db)
    expect(Number(before.sizes["deltas"])).toBeGreaterThan(0)
    await load(db.database, "ours", "word")
    const after = await recount(db)
    expect(after.disagreements).toEqual([])
    const left = await db.owner.session((session) =>
      session.query("select distinct source_account_id as tenant from concordance.lexeme_count_deltas"),
    )
    expect(left).toEqual([{ tenant: "theirs" }])
    await db.database.batch({ tenant: "ours" }, [{ text: "delete from documents" }])
    expect((await recount(db)).disagreements).toEqual([])
  } finally {
    await db.close()
  }
})

// PGlite has one session, so there is nobody to race with.
test.runIf(testServerUrl())(
  "1,000 random upserts and deletes by four writers at once, compacted all the while: exact afterwards, and exact in every snapshot",
  { timeout: 300_000 },
  async () => {
    const db = await openTestDatabase()
    try {
      const writers = Promise.all([11, 12, 13, 14].map((seed) => write(db.database, seed, 250)))
      let turn = 0
      const compactor = during(writers, () => compact(db.database, TENANTS[turn++ % 2] ?? ""))
      // One statement, so one snapshot.
      const reader = db.owner.session((session) =>
        during(writers, async () => expect(await session.query(DISAGREEMENTS)).toEqual([])),
      )
      const [compactions, looks] = await Promise.all([compactor, reader, writers])
      expect(compactions).toBeGreaterThan(50)
      expect(looks).toBeGreaterThan(20)
      await expectExact(db)
      // A batch that fails is tried again one by one, so an outcome alone does not tell.
      const [met] = await db.owner.session((session) =>
        session.query("select deadlocks::int as deadlocks from pg_stat_database where datname = current_database()"),
      )
      expect(met).toEqual({ deadlocks: 0 })
    } finally {
      await db.close()
    }
  },
)

test.runIf(testServerUrl())(
  "a load that finds another writer folding waits for nobody, and leaves differences",
  async () => {
    const db = await openTestDatabase()
    try {
      await db.owner.session((session) =>
        session.transaction(async () => {
          await session.query("select pg_advisory_xact_lock(hashtextextended('concordance.lexeme_counts:ours', 0))")
          await load(db.database, "ours", "word")
        }),
      )
      const { disagreements, sizes } = await recount(db)
      expect([disagreements, sizes]).toEqual([[], { chunks: 200, counts: 0, deltas: 10_001 }])
    } finally {
      await db.close()
    }
  },
)
