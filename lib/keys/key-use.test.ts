import { afterAll, beforeAll, expect, test } from "vitest"
import { openTestDatabase, type TestDatabase } from "../../tests/database.ts"
import type { Database } from "../database/database.ts"
import { hashKey } from "./api-key.ts"
import { createAuthenticator } from "./authenticator.ts"
import { createKeyRing, type KeyRing } from "./key-ring.ts"
import { createKeyUse } from "./key-use.ts"

let opened: TestDatabase
let ring: KeyRing

beforeAll(async () => {
  opened = await openTestDatabase()
  ring = createKeyRing(opened.owner)
})
afterAll(() => opened.close())

const lastUsed = async (id: string) => {
  const { keys } = await ring.list({ limit: 1_000 })
  return keys.find((record) => record.id === id)?.lastUsedAt
}

/** The database with the writes that reach it; `settled` waits for those under way. */
function watched() {
  const writes: Promise<unknown>[] = []
  const database: Database = {
    ...opened.database,
    batch: (...args) => {
      const done = opened.database.batch(...args)
      if (args[1][0]?.text.includes("update")) writes.push(done)
      return done
    },
  }
  return { database, writes, settled: () => Promise.allSettled(writes) }
}

test("a key that was let in says when, and one that never was says so", async () => {
  const { database, settled } = watched()
  const used = await ring.create({ name: "used" })
  const unused = await ring.create({ name: "unused" })
  await createAuthenticator(database)(used.key)
  await settled()
  expect(Math.abs(Date.parse((await lastUsed(used.record.id)) ?? "") - Date.now())).toBeLessThan(10_000)
  expect(await lastUsed(unused.record.id)).toBeNull()
})

test("a process writes once a minute and key, however many requests come, from its memory of keys too", async () => {
  const { key } = await ring.create({ name: "busy" })
  const { database, writes, settled } = watched()
  const authenticate = createAuthenticator(database)
  for (let i = 0; i < 50; i++) await authenticate(key)
  await settled()
  expect(writes).toHaveLength(1)

  let now = 0
  const second = watched()
  const noteUse = createKeyUse(second.database, () => now)
  for (now = 0; now < 180_000; now += 10_000) noteUse(hashKey(key))
  await second.settled()
  expect(second.writes).toHaveLength(3)
})

test("a key that is refused is not noted as used", async () => {
  const { database, settled } = watched()
  const { key, record } = await ring.create({ name: "revoked" })
  await ring.revoke(record.id)
  await createAuthenticator(database)(key)
  createKeyUse(database)(hashKey(key))
  await settled()
  expect(await lastUsed(record.id)).toBeNull()
})

test("a write that never ends or fails keeps no request waiting", async () => {
  const { key } = await ring.create({ name: "a" })
  const write = (how: () => Promise<never>): Database => ({
    ...opened.database,
    batch: (...args) => (args[1][0]?.text.includes("update") ? how() : opened.database.batch(...args)),
  })
  for (const how of [() => new Promise<never>(() => undefined), () => Promise.reject(new Error("disk full"))]) {
    expect(await createAuthenticator(write(how))(key)).not.toBeNull()
  }
})

test("the service may write one time, now, into one column of the row whose hash it knows", async () => {
  const { key, record } = await ring.create({ name: "mine" })
  const other = await ring.create({ name: "other" })
  const mine = { apiKeyHash: hashKey(key) }
  const update = (scope: Parameters<Database["batch"]>[0], text: string) => opened.database.batch(scope, [{ text }])
  for (const set of [
    "last_used_at = now() - interval '1 day'",
    "last_used_at = null",
    "last_used_at = 'infinity'",
    "tenants = '{*}', last_used_at = now()",
    "expires_at = null",
    "revoked_at = null",
    "rotated_from = null",
  ]) {
    await expect(update(mine, `update concordance.api_keys set ${set}`)).rejects.toThrow()
  }
  for (const scope of [mine, { apiKeyHash: "none" }, { tenant: "primary" }]) {
    await update(scope, "update concordance.api_keys set last_used_at = now()")
  }
  expect(await lastUsed(record.id)).not.toBeNull()
  expect(await lastUsed(other.record.id)).toBeNull()
})
