import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { openTestDatabase, type TestDatabase } from "../../tests/database.ts"
import type { Database } from "../database/database.ts"
import { createAuthenticator } from "./authenticator.ts"
import { createKeyRing, type KeyRing } from "./key-ring.ts"

let opened: TestDatabase
let ring: KeyRing

beforeAll(async () => {
  opened = await openTestDatabase()
  ring = createKeyRing(opened.owner)
})
afterAll(() => opened.close())

/** The database, counting the look-ups that reach it. */
function counted() {
  const calls = { count: 0 }
  const database: Database = {
    ...opened.database,
    batch: (...args) => {
      if (args[1][0]?.text.includes("select")) calls.count++
      return opened.database.batch(...args)
    },
  }
  return { calls, authenticate: createAuthenticator(database) }
}

const seconds = (s: number) => new Date(Date.now() + s * 1_000)

describe("the key ring", () => {
  test("no key is usable before the first is made", async () => {
    expect(await ring.hasUsable()).toBe(false)
    const { record } = await ring.create({ name: "first" })
    expect(await ring.hasUsable()).toBe(true)
    await ring.revoke(record.id)
    expect(await ring.hasUsable()).toBe(false)
  })

  test("a key is shown once, and the database holds its hash alone", async () => {
    const { key, record } = await ring.create({ name: "app", tenants: ["acme"], scopes: ["search"], ratePerMinute: 60 })
    expect(key).toMatch(/^cc_[\w-]{43}$/)
    expect(record).toMatchObject({ name: "app", tenants: ["acme"], scopes: ["search"], ratePerMinute: 60 })
    expect(record.createdAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
    const rows = await opened.owner.session((session) => session.query("select * from concordance.api_keys"))
    expect(JSON.stringify(rows)).not.toContain(key)
    expect(JSON.stringify(await ring.list())).not.toContain(key.slice(3))
  })

  test("pages hold every key once", async () => {
    for (let i = 0; i < 5; i++) await ring.create({ name: `paged ${i}` })
    const all = (await ring.list({ limit: 1_000 })).keys.map(({ id }) => id)
    const paged: string[] = []
    for (let cursor: string | undefined, first = true; first || cursor; first = false) {
      const page = await ring.list({ limit: 2, ...(cursor !== undefined && { cursor }) })
      expect(page.keys.length).toBeLessThanOrEqual(2)
      paged.push(...page.keys.map(({ id }) => id))
      cursor = page.nextCursor
    }
    expect(paged).toEqual(all)
    expect(new Set(paged).size).toBe(paged.length)
  })

  test("revoking an unknown key says so, and revoking twice keeps the first time", async () => {
    expect(await ring.revoke("key_unknown")).toBe(false)
    const { record } = await ring.create({ name: "twice" })
    expect(await ring.revoke(record.id)).toBe(true)
    expect(await ring.revoke(record.id)).toBe(true)
  })

  test.each([
    [{ name: "" }, "name"],
    [{ name: "a", tenants: [] }, "tenants"],
    [{ name: "a", tenants: ["\u0000"] }, "tenants.0"],
    [{ name: "a", scopes: ["everything" as "search"] }, "scopes.0"],
    [{ name: "a", ratePerMinute: 0 }, "ratePerMinute"],
  ])("a key of %j is refused by name", async (wanted, field) => {
    await expect(ring.create(wanted)).rejects.toMatchObject({ code: "invalid_request", fields: [{ field }] })
  })
})

describe("the authenticator", () => {
  test("a key opens what it was made for", async () => {
    const { key, record } = await ring.create({ name: "a", tenants: ["t1", "t2"], scopes: ["index"], ratePerMinute: 5 })
    expect(await counted().authenticate(key)).toEqual({
      id: record.id,
      tenants: ["t1", "t2"],
      scopes: ["index"],
      ratePerMinute: 5,
    })
  })

  test("an unknown, expired or revoked key opens nothing", async () => {
    const { authenticate } = counted()
    const expired = await ring.create({ name: "expired", expiresAt: seconds(-1) })
    const revoked = await ring.create({ name: "revoked" })
    await ring.revoke(revoked.record.id)
    for (const key of [expired.key, revoked.key, `cc_${"A".repeat(43)}`]) expect(await authenticate(key)).toBeNull()
  })

  test("what can't be a key is refused without asking the database", async () => {
    const { authenticate, calls } = counted()
    for (const key of ["", "cc_short", `xx_${"A".repeat(43)}`, "a".repeat(100_000), "' or true --"]) {
      expect(await authenticate(key)).toBeNull()
    }
    expect(calls.count).toBe(0)
  })

  test("answers are remembered, and requests that come at once share one look-up", async () => {
    const { authenticate, calls } = counted()
    const { key } = await ring.create({ name: "a" })
    const unknown = `cc_${"B".repeat(43)}`
    await Promise.all(Array.from({ length: 10 }, () => Promise.all([authenticate(key), authenticate(unknown)])))
    await Promise.all([authenticate(key), authenticate(unknown)])
    expect(calls.count).toBe(2)
  })

  test("a remembered key does not outlive its expiry", async () => {
    const { authenticate } = counted()
    // Long enough to be asked for on a busy machine.
    const { key } = await ring.create({ name: "brief", expiresAt: seconds(3) })
    expect(await authenticate(key)).not.toBeNull()
    await new Promise((resolve) => setTimeout(resolve, 3_200))
    expect(await authenticate(key)).toBeNull()
  })

  test("one key's scope shows one row, and no scope shows none", async () => {
    await ring.create({ name: "a" })
    const select = { text: "select id from concordance.api_keys" }
    const [nobody] = await opened.database.batch({ apiKeyHash: "none" }, [select])
    const [tenant] = await opened.database.batch({ tenant: "primary" }, [select])
    expect([nobody, tenant]).toEqual([[], []])
  })
})
