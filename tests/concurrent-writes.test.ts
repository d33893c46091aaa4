import { setTimeout as sleep } from "node:timers/promises"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { deadlineIn } from "../lib/deadline.ts"
import { createDocuments } from "../lib/documents/documents.ts"
import { createIndexDocuments, type IndexDocuments } from "../lib/documents/index-documents.ts"
import { IndexRequest } from "../lib/documents/index-request.ts"
import { openTestDatabase, type TestDatabase } from "./database.ts"
import { asSuperuser, testServerUrl } from "./postgres-server.ts"
import { recount } from "./word-counts.ts"

// Writers that meet on one document, and one that dies in the middle. A real PostgreSQL only: PGlite has one session.

describe.runIf(testServerUrl())("writers of one document", () => {
  let db: TestDatabase
  let index: IndexDocuments
  beforeAll(async () => {
    db = await openTestDatabase()
    index = createIndexDocuments({ database: db.database, embedder: null })
  })
  afterAll(() => db.close())

  const TENANT = "primary"
  /** Version `name` of a document: `chunks` chunks that all say which version they are of. */
  const version = (id: string, name: string, chunks: number) =>
    IndexRequest.parse({
      id,
      title: name,
      chunks: Array.from({ length: chunks }, (_, i) => ({
        content: `shared passage of ${name} number ${i}`,
        embedding: [1, i + 1, name.length],
      })),
    })
  const write = async (id: string, name: string, chunks: number) => {
    const [outcome] = await index(TENANT, [version(id, name, chunks)], deadlineIn(120_000))
    if (outcome && "failed" in outcome) throw outcome.failed
  }

  /** A document as one statement sees it: title, how many chunks and vectors, and whose text stands in the chunks. */
  const LOOK = `
    select d.title, count(c.id)::int as chunks, count(e.chunk_key)::int as vectors,
           array_agg(distinct c.title) as titles, array_agg(distinct substring(c.content from 'of (\\w+) number')) as texts,
           array_agg(c.id || ' ' || c.content_hash) as names
      from documents d
      join chunks c on c.source_account_id = d.source_account_id and c.document_id = d.id
      left join embeddings e on e.source_account_id = c.source_account_id and e.chunk_key = c.key
     where d.id = $1 group by d.title`
  const look = async (id: string) => {
    const [rows = []] = await db.database.batch({ tenant: TENANT }, [{ text: LOOK, values: [id] }])
    return rows[0]
  }
  const whole = (name: string, chunks: number) => ({
    title: name,
    chunks,
    vectors: chunks,
    titles: [name],
    texts: [name],
  })

  test("leave one of their versions, whole; a search meanwhile sees one version or another, never a mix; no chunk id is used again", async () => {
    const sizes: Record<string, number> = { alpha: 3, bravo: 7, charlie: 1, delta: 5 }
    const names = Object.keys(sizes)
    await write("contested", "alpha", 3)
    const hashes = new Map<string, string>()
    let writing = true
    const found = `
      select h.document_id, h.chunk_id, c.content, c.title
        from hybrid_candidates('shared passage', null, (select id from embedding_spaces where dimensions = 3), '[1,1,1]', 'rrf',
               0.5, 60, false, '$ ? ($document_id == "contested")', 100, 100, 4000) h
        join chunks c on c.key = h.chunk_key`
    const watch = async () => {
      let looks = 0
      while (writing) {
        const seen = await look("contested")
        const name = String(seen?.["title"])
        expect(seen).toMatchObject(whole(name, sizes[name] ?? 0))
        for (const [id = "", hash = ""] of ((seen?.["names"] ?? []) as string[]).map((text) => text.split(" "))) {
          expect(hashes.get(id) ?? hash).toBe(hash)
          hashes.set(id, hash)
        }
        const [hits = []] = await db.database.batch({ tenant: TENANT }, [{ text: found }])
        const titles = [...new Set(hits.map(({ title }) => String(title)))]
        expect(titles).toHaveLength(1)
        expect(hits).toHaveLength(sizes[titles[0] ?? ""] ?? 0)
        looks++
      }
      return looks
    }
    const watching = watch()
    const writers = names.map(async (_, w) => {
      for (let i = 0; i < 12; i++) {
        const name = names[(i + w) % names.length] ?? ""
        await write("contested", name, sizes[name] ?? 0)
      }
    })
    const written = Promise.all(writers).finally(() => {
      writing = false
    })
    const [looks] = await Promise.all([watching, written])
    expect(looks).toBeGreaterThan(3)
    const last = await look("contested")
    expect(last).toMatchObject(whole(String(last?.["title"]), sizes[String(last?.["title"])] ?? 0))
    expect((await recount(db)).disagreements).toEqual([])
  })

  test("a deletion among them leaves the document gone or whole", async () => {
    const documents = createDocuments(db.database)
    for (let i = 0; i < 10; i++) {
      await Promise.all([write("coming", "alpha", 3), documents.delete(TENANT, "coming"), write("coming", "bravo", 7)])
      const [rows = []] = await db.database.batch({ tenant: TENANT }, [
        { text: "select status, title from documents where id = 'coming'" },
      ])
      const seen = await look("coming")
      if (rows[0]?.["status"] === "deleted") expect(seen).toBeUndefined()
      else expect(seen).toMatchObject(rows[0]?.["title"] === "alpha" ? whole("alpha", 3) : whole("bravo", 7))
    }
  })

  test("one whose connection dies in the middle leaves the old version whole, and says database_unavailable", async () => {
    await write("torn", "alpha", 3)
    const [row] = await db.owner.session((session) => session.query("select current_database()::text as name"))
    const outcome = await asSuperuser(String(row?.["name"]), async (admin) => {
      // The writer has replaced document and chunks in its transaction by the time it comes to the vectors.
      await admin.query("begin")
      await admin.query("lock table concordance.embeddings in share mode")
      const writing = index(TENANT, [version("torn", "bravo", 7)], deadlineIn(60_000))
      const blocked = "select pid from pg_stat_activity where pg_backend_pid() = any(pg_blocking_pids(pid))"
      let pid: unknown
      while (pid === undefined) {
        await sleep(20)
        pid = (await admin.query<{ pid: number }>(blocked)).rows[0]?.pid
      }
      await admin.query("select pg_terminate_backend($1)", [pid])
      await admin.query("rollback")
      return (await writing)[0]
    })
    expect(outcome).toMatchObject({ id: "torn", failed: { code: "database_unavailable" } })
    expect(await look("torn")).toMatchObject(whole("alpha", 3))
    expect((await recount(db)).disagreements).toEqual([])
    await write("torn", "bravo", 7)
    expect(await look("torn")).toMatchObject(whole("bravo", 7))
  })
})
