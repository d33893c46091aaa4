import { afterAll, beforeAll, describe, expect, test } from "vitest"
import type { LimitStore, RateSubject } from "../lib/limits/limit-store.ts"
import { createMemoryLimits } from "../lib/limits/memory-limits.ts"
import { createPostgresLimits } from "../lib/limits/postgres-limits.ts"
import { createRateLimiter } from "../lib/limits/rate-limiter.ts"
import { OURS, openTwoTenants, THEIRS, type TwoTenants } from "./two-tenants.ts"

let db: TwoTenants
beforeAll(async () => {
  db = await openTwoTenants()
})
afterAll(() => db.close())

/** Each test's own, so that none finds what another took. */
let count = 0
const someone = (perMinute: number, kind: RateSubject["kind"] = "key"): RateSubject => ({
  ...{ kind, perMinute },
  id: `someone ${++count}`,
})

const STORES: [string, () => LimitStore][] = [
  ["in memory", () => createMemoryLimits()],
  ["in the database", () => createPostgresLimits(db.database)],
]

describe.each(STORES)("a minute %s", (_, open) => {
  test.each(["key", "tenant"] as const)("lets so many through of a %s, and says when it begins anew", async (kind) => {
    const take = createRateLimiter(open())
    const subject = someone(3, kind)
    const standings = []
    for (let i = 0; i < 4; i++) standings.push(await take(subject))
    expect(standings.map(({ isAllowed, left }) => [isAllowed, left])).toEqual([
      [true, 2],
      [true, 1],
      [true, 0],
      [false, 0],
    ])
    expect(standings[3]?.resetS).toBeGreaterThan(50)
    expect(standings[3]?.resetS).toBeLessThanOrEqual(60)
    expect((await take(someone(3, kind))).isAllowed).toBe(true)
  })

  test("several processes never let more through together, and hardly fewer", async () => {
    const store = open()
    const processes = Array.from({ length: 5 }, () => createRateLimiter(store))
    const subject = someone(200)
    const asked = processes.flatMap((take) => Array.from({ length: 120 }, () => take(subject)))
    const allowed = (await Promise.all(asked)).filter(({ isAllowed }) => isAllowed)
    expect(allowed.length).toBeLessThanOrEqual(200)
    expect(allowed.length).toBeGreaterThanOrEqual(160)
  })
})

test("a process that takes shares and rests loses no more of them to others than it has used, and one", async () => {
  const store = createPostgresLimits(db.database)
  const [resting, busy] = [createRateLimiter(store), createRateLimiter(store)]
  const subject = someone(400)
  for (let i = 0; i < 20; i++) await resting(subject)
  let allowed = 20
  while ((await busy(subject)).isAllowed) allowed++
  expect(allowed).toBeLessThanOrEqual(400)
  expect(allowed).toBeGreaterThanOrEqual(400 - 21)
})

test("few requests wait for the store, and none once the minute is used up", async () => {
  const memory = createMemoryLimits()
  let asked = 0
  // Shares as the database cuts them.
  const store: LimitStore = {
    takeRate: async (subject, wanted) => {
      asked++
      const left = (await memory.takeRate(subject, 0)).free
      return memory.takeRate(subject, Math.min(wanted, Math.max(1, Math.floor(left / 8))))
    },
  }
  const take = createRateLimiter(store)
  const subject = someone(600)
  for (let i = 0; i < 600; i++) expect((await take(subject)).isAllowed).toBe(true)
  expect(asked).toBeLessThanOrEqual(50)
  expect((await take(subject)).isAllowed).toBe(false)
  const before = asked
  for (let i = 0; i < 100; i++) await take(subject)
  expect(asked).toBe(before)
})

test("a share ends before its minute does, whatever a slow database took to give it", async () => {
  let now = 0
  const store: LimitStore = {
    async takeRate(subject, wanted) {
      now += 4_000
      return { granted: Math.min(wanted, subject.perMinute), free: 5, msLeft: 10_000 }
    },
  }
  const take = createRateLimiter(store, () => now)
  const standing = await take(someone(10))
  expect(standing).toMatchObject({ isAllowed: true, resetS: 6 })
})

test("a minute is over after 60 s of the database's clock, and another begins in full", async () => {
  const subject = someone(2, "tenant")
  const take = createRateLimiter(createPostgresLimits(db.database))
  for (let i = 0; i < 3; i++) await take(subject)
  await db.owner.session((session) =>
    session.query("update tenant_rates set began = began - interval '61 s' where source_account_id = $1", [subject.id]),
  )
  const next = await createRateLimiter(createPostgresLimits(db.database))(subject)
  expect(next).toMatchObject({ isAllowed: true, left: 1 })
})

test("a tenant's count is its own, and a key's is seen by nobody: neither can be read, reset or taken away by another", async () => {
  const take = createRateLimiter(createPostgresLimits(db.database))
  await take({ kind: "tenant", id: OURS, perMinute: 10 })
  await take(someone(10))
  const rows = async (text: string) => (await db.database.batch({ tenant: THEIRS }, [{ text }]))[0]
  expect(await rows("select * from tenant_rates")).toEqual([])
  expect(await rows("select * from key_rates")).toEqual([])
  await rows("update tenant_rates set taken = 0")
  await rows("update key_rates set taken = 0")
  const [[{ taken } = {}] = []] = await db.database.batch({ tenant: OURS }, [
    { text: "select taken from tenant_rates" },
  ])
  expect(taken).toBe(1)
  await expect(rows("delete from tenant_rates")).rejects.toThrow()
})
