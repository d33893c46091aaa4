import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { openTestDatabase, type TestDatabase } from "../../tests/database.ts"
import { createAuthenticator } from "./authenticator.ts"
import { createKeyRing, type KeyRing } from "./key-ring.ts"

let opened: TestDatabase
let ring: KeyRing

beforeAll(async () => {
  opened = await openTestDatabase()
  ring = createKeyRing(opened.owner)
})
afterAll(() => opened.close())

const DAY_MS = 86_400_000
const isLetIn = async (key: string) => (await createAuthenticator(opened.database)(key)) !== null
const daysUntil = (time: string | null) => (Date.parse(time ?? "") - Date.now()) / DAY_MS

describe("a rotated key", () => {
  test("has a successor with its name, tenants, scopes and rate, and both are let in during the overlap", async () => {
    const old = await ring.create({ name: "app", tenants: ["t1", "t2"], scopes: ["index"], ratePerMinute: 7 })
    const rotated = await ring.rotate(old.record.id, { overlapMs: DAY_MS })
    expect(rotated?.record).toMatchObject({
      ...{ name: "app", tenants: ["t1", "t2"], scopes: ["index"], ratePerMinute: 7 },
      ...{ rotatedFrom: old.record.id, expiresAt: null, lastUsedAt: null },
    })
    expect(rotated?.replaced).toMatchObject({ id: old.record.id, rotatedFrom: null })
    expect(daysUntil(rotated?.replaced.expiresAt ?? null)).toBeCloseTo(1, 2)
    expect(rotated?.key).not.toBe(old.key)
    for (const key of [old.key, rotated?.key ?? ""]) {
      expect(await createAuthenticator(opened.database)(key)).toMatchObject({
        tenants: ["t1", "t2"],
        scopes: ["index"],
      })
    }
  })

  test("without an overlap is refused from then on", async () => {
    const old = await ring.create({ name: "leaked" })
    const rotated = await ring.rotate(old.record.id, { overlapMs: 0 })
    expect(await isLetIn(old.key)).toBe(false)
    expect(await isLetIn(rotated?.key ?? "")).toBe(true)
  })

  test("keeps an end that comes before the overlap's, and its successor lives as long as it was made to", async () => {
    const old = await ring.create({ name: "brief", expiresAt: new Date(Date.now() + DAY_MS / 2) })
    const rotated = await ring.rotate(old.record.id, { overlapMs: 7 * DAY_MS })
    expect(rotated?.replaced.expiresAt).toBe(old.record.expiresAt)
    expect(daysUntil(rotated?.record.expiresAt ?? null)).toBeCloseTo(0.5, 2)
    const longer = await ring.rotate(rotated?.record.id ?? "", {
      overlapMs: 0,
      expiresAt: new Date(Date.now() + 9 * DAY_MS),
    })
    expect(daysUntil(longer?.record.expiresAt ?? null)).toBeCloseTo(9, 2)
  })

  test("has one successor, however many ask at once", async () => {
    const { record } = await ring.create({ name: "once" })
    // On a server each is a connection of its own.
    const askers = Array.from({ length: 8 })
    const rotations = await Promise.allSettled(askers.map(() => ring.rotate(record.id, { overlapMs: 0 })))
    expect(rotations.filter(({ status }) => status === "fulfilled")).toHaveLength(1)
    for (const rotation of rotations) {
      if (rotation.status === "rejected") expect(rotation.reason).toMatchObject({ code: "conflict" })
    }
    const { keys } = await ring.list({ limit: 1_000 })
    expect(keys.filter(({ rotatedFrom }) => rotatedFrom === record.id)).toHaveLength(1)
  })

  test("can't be unknown, revoked or expired, and the overlap is bounded", async () => {
    expect(await ring.rotate("key_unknown", { overlapMs: 0 })).toBeNull()
    const revoked = await ring.create({ name: "revoked" })
    await ring.revoke(revoked.record.id)
    const expired = await ring.create({ name: "expired", expiresAt: new Date(Date.now() - 1_000) })
    for (const { record } of [revoked, expired]) {
      await expect(ring.rotate(record.id, { overlapMs: 0 })).rejects.toMatchObject({ code: "conflict" })
    }
    for (const overlapMs of [-1, Number.NaN, 366 * DAY_MS]) {
      await expect(ring.rotate(revoked.record.id, { overlapMs })).rejects.toMatchObject({ code: "invalid_request" })
    }
  })
})
