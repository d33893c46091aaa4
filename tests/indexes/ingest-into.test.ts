import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, expect, test, vi } from "vitest"
import { openPglite } from "../../lib/database/pglite.ts"
import { recordId } from "../../lib/indexes/publish/record-id.ts"
import { migratedDump } from "../migrated-dump.ts"
import { testModelHome } from "../model-home.ts"
import { concordance } from "../run-concordance.ts"
import { startQdrantStub } from "./stub-qdrant.ts"
import type { StubServer } from "./stub-server.ts"

let home: string
let qdrant: StubServer
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "concordance-into-"))
  await symlink(join(await testModelHome(), "models"), join(home, "models"))
  const { database } = await openPglite({ home, loadDataDir: await migratedDump() })
  await database.close()
  qdrant = await startQdrantStub()
  const environment = {
    CONCORDANCE_HOME: home,
    QDRANT_URL: qdrant.url,
    QDRANT_API_KEY: "right-key",
    QDRANT_SPARSE: "true",
  }
  for (const [key, value] of Object.entries(environment)) vi.stubEnv(key, value)
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await qdrant?.close()
  await rm(home, { recursive: true, force: true })
})

const writes = () => qdrant.requests.filter(({ method, path }) => method === "PUT" && path.endsWith("/points")).length

test("ingest --into writes files into an index that /search then reads; a repeat writes nothing; documents delete --from takes one out", async () => {
  const pdf = fileURLToPath(new URL("../../samples/en/ice-house-report-1936.pdf", import.meta.url))
  const note = join(home, "pilot.md")
  await writeFile(note, "# Pilots\n\nThe pilot boat leaves the mole at six.\n")
  // The index is named by settings too, and isn't there before the first ingestion.
  vi.stubEnv("VECTORDB_PROVIDER", "qdrant")
  const first = await concordance("ingest", pdf, note, "--into", "qdrant")
  expect(first.status, first.err).toBe(0)
  expect(first.out).toMatch(
    /Into Qdrant's collection self_rag_documents at .*: 2 documents in \d+ records, unchanged 0, removed 0\./,
  )
  const written = writes()
  expect(written).toBeGreaterThan(0)

  const found = await concordance("search", "ice delivered to the boats", "--json")
  expect(found.status, found.err).toBe(0)
  expect(JSON.parse(found.out).results[0]).toMatchObject({
    id: "ice-house-report-1936",
    page: expect.any(Number),
    citation: expect.stringMatching(/^\[\[ice-house-report-1936\/p\d{3}#c\d{4}\]\]$/),
  })

  const again = await concordance("ingest", pdf, note, "--into", "qdrant")
  expect(again.out).toMatch(/: 0 documents in 0 records, unchanged 2, removed 0\./)
  expect(writes()).toBe(written)

  const deleted = await concordance("documents", "delete", "pilot", "--from", "qdrant")
  expect(deleted.out).toMatch(/Deleted pilot, from Qdrant's collection self_rag_documents at .* too\./)
  const points = qdrant.requests.filter(({ path }) => path.endsWith("/self_rag_documents/points/delete"))
  expect(points.map(({ body }) => body)).toEqual([{ points: [recordId("primary", "pilot", "c0001")] }])
  expect(qdrant.violations).toEqual([])
}, 240_000)
