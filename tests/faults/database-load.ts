import { setTimeout as sleep } from "node:timers/promises"
import { expect } from "vitest"
import { faultsAt } from "./faultless.ts"
import type { PrivateCluster } from "./private-cluster.ts"
import { type Answered, ask, form, type ServerProcess } from "./server-process.ts"

/** Requests in loops, side by side, while something is done to the database below the server. */
export interface DatabaseLoad {
  /** `beganAt`: ms of `performance.now()`. */
  readonly answers: readonly (Answered & { readonly beganAt: number })[]
  /** Documents whose writes were answered with a 2xx. */
  readonly acknowledged: readonly string[]
  search(): Promise<Answered>
  index(): Promise<Answered>
  upload(): Promise<Answered>
  /** Asks again and again in so many loops, until `stop`. */
  repeat(loops: number, one: () => Promise<Answered>): void
  /** Resolves when the last of them was answered. */
  stop(): Promise<void>
}

export function createDatabaseLoad(server: ServerProcess): DatabaseLoad {
  const answers: (Answered & { readonly beganAt: number })[] = []
  const acknowledged: string[] = []
  const loops: Promise<void>[] = []
  let isOver = false
  let count = 0
  async function loop(one: () => Promise<Answered>): Promise<void> {
    while (!isOver) {
      const beganAt = performance.now()
      answers.push({ ...(await one()), beganAt })
      await sleep(20)
    }
  }
  async function write(path: string, body: (id: string) => object | FormData): Promise<Answered> {
    const id = `doc-${count++}`
    const answer = await ask(server.url, path, body(id))
    if (answer.status < 300 && answer.status > 0) acknowledged.push(id)
    return answer
  }
  return {
    answers,
    acknowledged,
    search: () => ask(server.url, "/search", { query: `the harbour ${count}` }),
    index: () => write("/index", (id) => ({ id, content: `The harbour keeps ${id} of the register.` })),
    upload: () => write("/documents", (id) => form(id, `The lighthouse saw ${id} sail.`)),
    repeat: (times, one) => void loops.push(...Array.from({ length: times }, () => loop(one))),
    async stop() {
      isOver = true
      await Promise.all(loops)
    },
  }
}

/** `200`, `503 database_unavailable`: how answers ended. */
export const outcomesOf = (answers: readonly Answered[]): Set<string> =>
  new Set(answers.map(({ status, code }) => `${status} ${code ?? ""}`.trim()))

/** Nobody uploads anything more: what was interrupted is taken up without it, all that was acknowledged is there, once. */
export async function expectNothingLost(
  acknowledged: readonly string[],
  { cluster, home }: { readonly cluster: PrivateCluster; readonly home: string },
): Promise<void> {
  const left = () => cluster.query("select document_id from concordance.ingest_jobs where state <> 'done'")
  await expect.poll(left, { timeout: 150_000, interval: 500 }).toEqual([])
  const rows = await cluster.query("select id from concordance.documents where status = 'ready'")
  const there = new Set(rows.map(({ id }) => id))
  expect(acknowledged.filter((id) => !there.has(id))).toEqual([])
  expect(await faultsAt({ home, url: cluster.url })).toEqual({})
}
