import { spawn } from "node:child_process"
import { readdir } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, expect, test } from "vitest"
import { openPglite } from "../../lib/database/pglite.ts"
import { randomFrom } from "../../lib/random.ts"
import { faultsAt } from "./faultless.ts"
import { makeHome, removeFolder } from "./server-process.ts"

const PROCESS = fileURLToPath(new URL("./writing-process.ts", import.meta.url))
const KILLS = 20

let home: string | undefined
afterAll(() => removeFolder(home))

/** Lets the process write for so long from its first acknowledgement on, kills it, and returns what it had acknowledged. */
function writeUntilKilled(folder: string, round: number, ms: number): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ["--import", "tsx", PROCESS, folder, String(round)])
    let out = ""
    let err = ""
    child.stderr.on("data", (data) => (err += data))
    child.stdout.on("data", (data) => {
      if (out === "") setTimeout(() => child.kill("SIGKILL"), ms)
      out += data
    })
    child.on("exit", (_, signal) => {
      // A last line that was cut off wasn't acknowledged.
      if (signal === "SIGKILL") resolve(out.split("\n").slice(0, -1))
      else reject(new Error(err))
    })
  })
}

test(`an embedded home that is killed ${KILLS} times while it is written opens each time, over the dead one's lock, with all that was acknowledged`, {
  // Two seconds a round on a quiet machine.
  timeout: 900_000,
}, async () => {
  home = await makeHome()
  const random = randomFrom(3825)
  const acknowledged = new Set<string>()
  for (let round = 0; round < KILLS; round++) {
    // The next start takes the lock over, and goes on in what the last one left.
    for (const id of await writeUntilKilled(home, round, 5 + random() * 600)) acknowledged.add(id)
  }
  expect(await readdir(join(home, "database.lock"))).toHaveLength(1)
  const { database, owner } = await openPglite({ home })
  const query = (text: string) => owner.session((session) => session.query<{ id: string }>(text))
  const rows = await query(
    "select id from concordance.documents where status = 'ready' and source_account_id = 'primary'",
  )
  const there = new Set(rows.map(({ id }) => id))
  expect(acknowledged.size).toBeGreaterThan(KILLS)
  expect([...acknowledged].filter((id) => !there.has(id))).toEqual([])
  await database.close()
  expect(await readdir(join(home, "database.lock"))).toEqual([])
  expect(await faultsAt({ home })).toEqual({})
})
