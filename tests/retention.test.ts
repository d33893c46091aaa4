import { afterEach, beforeEach, expect, test } from "vitest"
import { sweep } from "../lib/care/sweep.ts"
import { expireDocuments } from "../lib/documents/ingest/expire-documents.ts"
import { createIngestQueue, tenantsWithWork } from "../lib/documents/ingest/ingest-queue.ts"
import { createLog } from "../lib/log.ts"
import { type Ingesting, openIngesting } from "./ingesting.ts"

// Documents that nobody replaces for the retention's days go as by DELETE, objects too, and nothing else does.

const PAGES = "Page one.\fPage two."
const log = createLog({ level: "error", write: () => {} })
let shelf: Ingesting
beforeEach(async () => {
  shelf = await openIngesting()
  for (const id of ["old", "new", "replacing"]) {
    await shelf.add("ours", id, PAGES)
    await shelf.worker().run("ours", id)
  }
  await shelf.index("ours", [{ id: "old note", content: "A note." }])
  await shelf.rows(
    "update documents set updated_at = now() - interval '11 days' where id in ('old', 'old note', 'replacing')",
  )
  await shelf.add("ours", "replacing", "Another version.")
})
afterEach(() => shelf.close())

const live = async () =>
  (await shelf.rows("select id from documents where status <> 'deleted' order by id")).map(({ id }) => id)
const age = (days: number) =>
  shelf.rows(`update documents set updated_at = now() - interval '${days} days' where status = 'deleted'`)

test("a sweep deletes what is older than the retention with its objects, and not what is newer or being replaced", async () => {
  expect(await sweep({ ...shelf, log }, { retentionDays: 12 })).toMatchObject({ documents: 0 })
  expect(await sweep({ ...shelf, log })).toMatchObject({ documents: 0 })
  expect(await sweep({ ...shelf, log }, { retentionDays: 10 })).toMatchObject({ documents: 2, tombstones: 0 })
  expect(await live()).toEqual(["new", "replacing"])
  expect([...shelf.objects.held.keys()].filter((key) => key.split("/")[2] === "old")).toEqual([])
  expect(await shelf.find("ours", "note")).not.toContain("old note")
})

test("tombstones go once they are as old as the retention again and 30 days; without a retention they stay", async () => {
  await sweep({ ...shelf, log }, { retentionDays: 10 })
  await age(29)
  expect(await sweep({ ...shelf, log }, { retentionDays: 10 })).toMatchObject({ tombstones: 0 })
  await age(31)
  expect(await sweep({ ...shelf, log })).toMatchObject({ tombstones: 0 })
  expect(await sweep({ ...shelf, log }, { retentionDays: 10 })).toMatchObject({ tombstones: 2 })
  expect(await shelf.rows("select key from upload_keys where document_id = 'old'")).toEqual([])
  const days = ["answer_tokens", "inference_tokens"]
  for (const table of days) {
    await shelf.rows(
      `insert into ${table} (source_account_id, day, tokens) values ('ours', current_date - 91, 1), ('ours', current_date - 80, 1)`,
    )
  }
  await sweep({ ...shelf, log })
  for (const table of days)
    expect([table, await shelf.rows(`select 1 as one from ${table}`)]).toEqual([table, [{ one: 1 }]])
})

test("a sweep gives up webhooks after four days and forgets them after 30, though nobody sends any", async () => {
  await shelf.rows(
    "insert into webhook_endpoints (source_account_id, id, url, events, secret) values ('ours', 'wh', 'https://a.example', '{}', '')",
  )
  await shelf.rows(
    `insert into webhook_deliveries (source_account_id, id, endpoint_id, event, body, state, queued_at, finished_at)
     select 'ours', id, 'wh', 'e', '', state, now() - days * interval '1 day', case when state <> 'pending' then now() - days * interval '1 day' end
       from (values ('late', 'pending', 5), ('young', 'pending', 3), ('forgotten', 'delivered', 31), ('kept', 'failed', 29)) as v(id, state, days)`,
  )
  await sweep({ ...shelf, log })
  expect(await shelf.rows("select id, state from webhook_deliveries order by id")).toEqual([
    { id: "kept", state: "failed" },
    { id: "late", state: "failed" },
    { id: "young", state: "pending" },
  ])
})

test("one sweep has a bound, and a document that is replaced at this moment stays", async () => {
  expect(await expireDocuments(shelf.database, "ours", 10, 1)).toHaveLength(1)
  const [id] = (await live()).filter((each) => String(each).startsWith("old"))
  let isFirst = true
  const database = {
    ...shelf.database,
    transaction: (async (scope, work) => {
      if (isFirst) await shelf.index("ours", [{ id: String(id), content: "Just replaced." }])
      isFirst = false
      return shelf.database.transaction(scope, work)
    }) as typeof shelf.database.transaction,
  }
  expect(await expireDocuments(database, "ours", 10, 50)).toEqual([])
  expect(await live()).toContain(id)
})

test("sweeps ride on writes and on a start: nothing has to be run", async () => {
  expect(await tenantsWithWork(shelf.owner, 10)).toContain("ours")
  const ingest = {
    ...shelf.worker(),
    leftovers: async (tenant: string) => expireDocuments(shelf.database, tenant, 10, 50),
  }
  const queue = createIngestQueue({ ingest, documentsAtOnce: 1, isAlone: false, log })
  queue.wrote("ours")
  await expect.poll(live, { timeout: 20_000 }).toEqual(["new", "replacing"])
  await queue.close()
})
