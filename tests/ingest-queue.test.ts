import { createHash } from "node:crypto"
import { writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { createIngestQueue, type IngestQueue, tenantsWithWork } from "../lib/documents/ingest/ingest-queue.ts"
import { createLog } from "../lib/log.ts"
import { type Ingesting, openIngesting } from "./ingesting.ts"
import { createTextFileReader } from "./text-file-reader.ts"

let shelf: Ingesting
beforeAll(async () => {
  shelf = await openIngesting()
})
afterAll(() => shelf.close())

const TWO_PAGES = "The first page.\fThe second page."

function openQueue(beforePage: (page: number) => Promise<void> | void = () => {}, isAlone = false) {
  const outcomes: string[] = []
  const queue = createIngestQueue({
    ingest: shelf.worker({ fileReader: createTextFileReader({ beforePage }), concurrency: 1 }),
    documentsAtOnce: 2,
    isAlone,
    log: createLog({ level: "error", write: (line) => shelf.lines.push(line) }),
    onEnd: (tenant, id, outcome) => outcomes.push(`${tenant}/${id} ${outcome}`),
  })
  return { queue, outcomes }
}

async function add(queue: IngestQueue, tenant: string, id: string, text: string) {
  const sha256 = createHash("sha256").update(text).digest("hex")
  const path = join(tmpdir(), `concordance-queue-${sha256.slice(0, 16)}`)
  await writeFile(path, text)
  const request = { id, fileName: `${id}.txt`, options: { metadata: {}, flat: true } }
  return queue.add(tenant, request, { path, bytes: Buffer.byteLength(text), sha256 })
}

test("an upload that comes while the one before it is read is read next", async () => {
  let second: Promise<unknown> | undefined
  const { queue, outcomes } = openQueue((page) => {
    if (page === 2) second ??= add(queue, "a", "book", "A newer page.\fAnother newer page.")
  })
  await add(queue, "a", "book", TWO_PAGES)
  await queue.idle()
  await second
  await queue.idle()
  expect(outcomes.at(-1)).toBe("a/book ready")
  expect(await shelf.find("a", { query: "newer", strategy: "lexical" })).toEqual(["book"])
  await queue.close()
})

test("what a queue puts down when it closes, the next start finishes, every tenant's", async () => {
  const closing = openQueue(async (page) => {
    if (page === 2) void closing.queue.close()
  })
  for (const tenant of ["b", "c"]) await add(closing.queue, tenant, "book", TWO_PAGES)
  await closing.queue.close()
  expect(await tenantsWithWork(shelf.owner)).toEqual(["b", "c"])
  const next = openQueue()
  await next.queue.resumeAll(await tenantsWithWork(shelf.owner))
  await next.queue.idle()
  expect(next.outcomes.sort()).toEqual(["b/book ready", "c/book ready"])
  expect(await tenantsWithWork(shelf.owner)).toEqual([])
})

test("a start of a process that is alone takes over dead workers' jobs, and objects that no row names go", async () => {
  await shelf.add("d", "book", TWO_PAGES)
  await shelf.rows(
    "update ingest_jobs set state = 'processing', worker = 'dead', lease_until = now() + interval '1 hour' where source_account_id = 'd'",
  )
  await shelf.objects.put("pages/d/gone/1/p0001.png", Buffer.from("x"), "image/png")
  const other = openQueue()
  await other.queue.resumeAll(["d"])
  await other.queue.idle()
  expect(other.outcomes).toEqual([])
  const alone = openQueue(undefined, true)
  await alone.queue.resumeAll(["d"])
  await alone.queue.idle()
  expect(alone.outcomes).toEqual(["d/book ready"])
  expect([...shelf.objects.held.keys()].filter((key) => key.startsWith("pages/d/gone"))).toEqual([])
  await other.queue.close()
})

test("an upload takes the tenant's abandoned jobs and leftovers along", async () => {
  await shelf.add("e", "old", TWO_PAGES)
  await shelf.rows(
    "update ingest_jobs set state = 'processing', worker = 'dead', lease_until = now() - interval '1 second' where source_account_id = 'e'",
  )
  const { queue, outcomes } = openQueue()
  await add(queue, "e", "new", TWO_PAGES)
  await expect.poll(() => outcomes.sort()).toEqual(["e/new ready", "e/old ready"])
  await queue.close()
})
