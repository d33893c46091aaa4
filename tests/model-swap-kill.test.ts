import { spawn } from "node:child_process"
import { cp, mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, expect, test } from "vitest"
import { deadlineIn } from "../lib/deadline.ts"
import { createIndexDocuments } from "../lib/documents/index-documents.ts"
import { IndexRequest } from "../lib/documents/index-request.ts"
import { createSpace } from "../lib/documents/spaces/create-space.ts"
import { countMissing, readSpaces } from "../lib/documents/spaces/named-space.ts"
import { openTestDatabase, type TestDatabase } from "./database.ts"
import { testModelHome } from "./model-home.ts"
import { testServerDriver, testServerUrl } from "./postgres-server.ts"
import { createWordEmbedder } from "./word-embedder.ts"

/** Other processes reach no emulator of Neon's edge. */
const isOnServer = testServerUrl() !== undefined && testServerDriver() === "pg"

// A killed process needs a database that outlives it: a real server.
const CLI = fileURLToPath(new URL("../cli/concordance.mjs", import.meta.url))
const words = createWordEmbedder()
const CHUNKS = 400

let db: TestDatabase
let folder: string
beforeAll(async () => {
  if (!isOnServer) return
  db = await openTestDatabase()
  folder = await mkdtemp(join(tmpdir(), "concordance-second-model-"))
  await cp(join(await testModelHome(), "models", "all-MiniLM-L6-v2"), folder, { recursive: true })
}, 60_000)
afterAll(async () => {
  await db?.close()
  if (folder) await rm(folder, { recursive: true, force: true })
})

function concordance(args: string[], home: string) {
  const child = spawn(process.execPath, [CLI, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: "/usr/bin:/bin",
      CONCORDANCE_HOME: home,
      DATABASE_URL: db.urls?.login,
      MIGRATION_DATABASE_URL: db.urls?.owner,
    },
  })
  let output = ""
  const keep = (data: Buffer) => {
    output += data.toString()
  }
  child.stdout.on("data", keep)
  child.stderr.on("data", keep)
  const ended = new Promise<{ code: number | null; output: string }>((resolve) => {
    child.on("close", (code) => resolve({ code, output }))
  })
  return { ended, kill: () => child.kill("SIGKILL") }
}

test.runIf(isOnServer)(
  "a backfill that is killed goes on where it was: what is there stays, and nothing is missing in the end",
  async () => {
    const { database, owner } = db
    const index = createIndexDocuments({ database, embedder: words })
    const documents = Array.from({ length: CHUNKS }, (_, i) =>
      IndexRequest.parse({
        id: `d${i}`,
        title: `Note ${i}`,
        content: `The keeper's note of day ${i}: ${"rain and wind ".repeat(20)}`,
      }),
    )
    for (const outcome of await index("primary", documents, deadlineIn(120_000)))
      expect(outcome).toHaveProperty("indexed")
    const standard = {
      model: words.model,
      dimensions: words.dimensions,
      opening: { model: words.model, profile: "mini" as const },
    }
    await createSpace(
      owner,
      "primary",
      { model: folder, dimensions: 384, opening: { model: folder, profile: "mini" } },
      standard,
    )
    const space = async () =>
      (await owner.session((session) => readSpaces(session, "primary"))).find(({ model }) => model === folder)?.id ?? 0
    const id = await space()
    const missing = () => owner.session((session) => countMissing(session, "primary", id))
    const home = await testModelHome()

    const first = concordance(["spaces", "backfill", folder], home)
    await expect.poll(missing, { timeout: 300_000, interval: 50 }).toBeLessThan(CHUNKS)
    first.kill()
    expect((await first.ended).code).toBeNull()
    const left = await missing()
    expect(left).toBeGreaterThan(0)
    const second = await concordance(["spaces", "backfill", folder], home).ended
    expect(second.output).toContain(`${left} vectors in`)
    expect(second.output).toContain("nothing is missing")
    expect(await missing()).toBe(0)
    const activated = await concordance(["spaces", "activate", folder], home).ended
    expect(activated.output).toContain("active")
    const listed = await concordance(["spaces", "list"], home).ended
    expect(listed.output).toMatch(/400 vectors of 384 {2}.*active {2}exact scan {2}complete/)
  },
  400_000,
)
