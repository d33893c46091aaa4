import { rm } from "node:fs/promises"
import { afterAll, beforeAll, expect, test } from "vitest"
import { ingestWithKills, makeFolder, type Remains } from "./kill-ingest.ts"

/** `concordance bench ingest-kills` does it twenty times. */
const KILLS = 3

let root: string
let undisturbed: Remains
beforeAll(async () => {
  root = await makeFolder(5, 5)
  undisturbed = await ingestWithKills(root, "undisturbed", 0, 0)
}, 240_000)
afterAll(() => rm(root, { recursive: true, force: true }))

test("without a kill, everything is there", () => {
  const { tables, objects } = undisturbed
  expect(tables["documents"]?.map((row) => (row as { status: string }).status)).toEqual([
    "ready",
    "failed",
    "ready",
    "ready",
    "ready",
  ])
  expect(tables["pages"]).toHaveLength(15)
  expect(tables["page_drafts"]).toEqual([])
  expect(Object.keys(objects)).toHaveLength(15 + 4)
})

test(`killed ${KILLS} times on the way and started again each time, the same rows and objects are there`, {
  timeout: 1_200_000,
}, async () => {
  expect(await ingestWithKills(root, "killed", KILLS, 7)).toEqual(undisturbed)
})
