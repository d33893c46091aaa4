import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { openTokenPurse } from "../lib/answers/token-purse.ts"
import { createPostgresTokenBudget } from "../lib/limits/postgres-token-budget.ts"
import { createMemoryTokenBudget, type TokenBudget } from "../lib/token-budget.ts"
import { OURS, openTwoTenants, THEIRS, type TwoTenants } from "./two-tenants.ts"

let db: TwoTenants
beforeAll(async () => {
  db = await openTwoTenants()
})
afterAll(() => db.close())

const BUDGETS: [string, (perDay: number) => TokenBudget][] = [
  ["in memory", (perDay) => createMemoryTokenBudget(perDay)],
  ["in the database", (perDay) => createPostgresTokenBudget(db.database, { purpose: "answers", perDay })],
]

/** Each test's own, so that none finds what another took. */
let count = 0
const someone = (): string => `tenant ${++count}`

describe.each(BUDGETS)("the day's tokens %s", (_, open) => {
  test("are taken until too few are left, and the error says when there are more", async () => {
    const [budget, tenant] = [open(1_000), someone()]
    expect(await budget.reserve(tenant, 100, 700)).toMatchObject({
      tokens: 700,
      day: new Date().toISOString().slice(0, 10),
    })
    expect(await budget.reserve(tenant, 100, 700)).toMatchObject({ tokens: 300 })
    const error = await budget.reserve(tenant, 1, 1).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: "rate_limited", message: expect.stringContaining("ANSWER_TOKENS_PER_DAY") })
    const { retryAfterS } = error as { retryAfterS: number }
    expect(Math.abs(retryAfterS - (86_400 - ((Date.now() / 1_000) % 86_400)))).toBeLessThan(10)
  })

  test("that were given back can be taken again, and what was used beyond counts", async () => {
    const [budget, tenant] = [open(1_000), someone()]
    const { day } = await budget.reserve(tenant, 1_000, 1_000)
    await budget.charge(tenant, day, -400)
    expect(await budget.reserve(tenant, 1, 1_000)).toMatchObject({ tokens: 400 })
    await budget.charge(tenant, day, 50)
    await expect(budget.reserve(tenant, 1, 1)).rejects.toMatchObject({ code: "rate_limited" })
    await budget.charge(tenant, day, -51)
    expect(await budget.reserve(tenant, 1, 5)).toMatchObject({ tokens: 1 })
  })

  test("are never taken twice by requests at once, nor by another tenant", async () => {
    const [budget, tenant] = [open(1_000), someone()]
    const taken = await Promise.allSettled(Array.from({ length: 25 }, () => budget.reserve(tenant, 70, 70)))
    expect(taken.filter(({ status }) => status === "fulfilled")).toHaveLength(14)
    expect(await budget.reserve(someone(), 1_000, 1_000)).toMatchObject({ tokens: 1_000 })
  })
})

test("a day's count is a tenant's own: the other neither sees it nor adds to it", async () => {
  const budget = createPostgresTokenBudget(db.database, { purpose: "answers", perDay: 1_000 })
  await budget.reserve(OURS, 1, 300)
  await budget.reserve(THEIRS, 1, 40)
  const rows = (tenant: string, text: string) => db.database.batch({ tenant }, [{ text }])
  expect(await rows(THEIRS, "select tokens::int as tokens from answer_tokens")).toEqual([[{ tokens: 40 }]])
  await rows(THEIRS, "update answer_tokens set tokens = 0")
  expect(await rows(OURS, "select tokens::int as tokens from answer_tokens")).toEqual([[{ tokens: 300 }]])
  const steal = "insert into answer_tokens values ('ours', current_date + 1, 5)"
  await expect(rows(THEIRS, steal)).rejects.toThrow()
  await expect(rows(OURS, "delete from answer_tokens")).rejects.toThrow()
})

test("a day of memory ends at midnight UTC", async () => {
  let now = Date.parse("2026-11-30T23:59:50Z")
  const budget = createMemoryTokenBudget(100, () => now)
  await budget.reserve("t", 100, 100)
  await expect(budget.reserve("t", 1, 1)).rejects.toMatchObject({ retryAfterS: 10 })
  now += 10_000
  expect(await budget.reserve("t", 1, 100)).toEqual({ tokens: 100, day: "2026-12-01" })
})

describe("a request's purse", () => {
  test("counts calls at their most while they run, lets later ones wait for what comes back, and returns the rest", async () => {
    const budget = createMemoryTokenBudget(20_000)
    const purse = await openTokenPurse({ budget, tenant: "t", tokensMax: 1_000 })
    expect(await purse.take(600)).toBeNull()
    const waiting = purse.take(600)
    purse.settle(600, 100)
    expect(await waiting).toBeNull()
    purse.settle(600, 600)
    expect(await purse.take(400)).toMatchObject({ problem: expect.stringContaining("ANSWER_TOKENS_MAX"), error: null })
    await purse.close()
    expect(await budget.reserve("t", 1, 99_999)).toMatchObject({ tokens: 20_000 - 700 })
  })

  test("takes from the day as it goes, and tells a day that ends under way", async () => {
    const budget = createMemoryTokenBudget(12_000)
    const purse = await openTokenPurse({ budget, tenant: "t", tokensMax: 50_000 })
    expect(await purse.take(11_000)).toBeNull()
    expect(await purse.take(1_500)).toMatchObject({ error: { code: "rate_limited", retryAfterS: expect.any(Number) } })
    purse.settle(11_000, 11_500)
    await purse.close()
    expect(await budget.reserve("t", 1, 99_999)).toMatchObject({ tokens: 500 })
  })

  test("isn't opened on a day that is used up", async () => {
    const budget = createMemoryTokenBudget(1_000)
    await budget.reserve("t", 1_000, 1_000)
    await expect(openTokenPurse({ budget, tenant: "t", tokensMax: 500 })).rejects.toMatchObject({
      code: "rate_limited",
    })
  })
})
