import { expect, test } from "vitest"
import type { KeyRecord } from "../lib/keys/key-record.ts"
import { describeKey, expiryWarnings } from "./describe-key.ts"

const NOW = "2026-11-30T12:00:00Z"
const nowMs = Date.parse(NOW)

function record(facts: Partial<KeyRecord> = {}): KeyRecord {
  return {
    ...{ id: "key_1", name: "app", tenants: ["a"], scopes: ["search"], ratePerMinute: null, createdAt: NOW },
    ...{ expiresAt: null, revokedAt: null, lastUsedAt: null, rotatedFrom: null },
    ...facts,
  }
}

test("a key says when it was last used, what it replaced, and how it ends or ended", () => {
  const line = (facts: Partial<KeyRecord>) => describeKey(record(facts), { nowMs })
  expect(line({})).toBe("key_1  app\n    tenants a; scopes search; never used")
  expect(line({ lastUsedAt: NOW, rotatedFrom: "key_0" })).toContain(`last used ${NOW}; replaces key_0`)
  expect(line({ expiresAt: "2026-12-01T00:00:00Z" })).toContain("; expires 2026-12-01T00:00:00Z")
  expect(line({ expiresAt: "2026-11-30T12:00:00Z" })).toContain("; expired 2026-11-30T12:00:00Z")
  expect(line({ expiresAt: "2026-12-01T00:00:00Z", revokedAt: NOW })).toMatch(/; revoked 2026-11-30T12:00:00Z$/)
})

test.each([
  ["2026-11-30T12:00:01Z", "within a day"],
  ["2026-12-01T12:00:01Z", "in 1 day:"],
  ["2026-12-02T12:00:00Z", "in 2 days"],
  ["2026-12-14T12:00:00Z", "in 14 days"],
])("one that ends at %s is warned of: %s", (expiresAt, when) => {
  expect(expiryWarnings([record({ expiresAt })], nowMs)).toEqual([expect.stringContaining(when)])
})

test("one is not warned of that ends later, has ended, was revoked, or has a successor", () => {
  const soon = { expiresAt: "2026-12-01T00:00:00Z" }
  const quiet = [
    record({ id: "key_2", expiresAt: "2026-12-14T12:00:01Z" }),
    record({ id: "key_3", expiresAt: "2026-11-30T11:59:59Z" }),
    record({ id: "key_4", ...soon, revokedAt: NOW }),
    record({ id: "key_5", ...soon }),
    record({ id: "key_6", rotatedFrom: "key_5" }),
    record({ id: "key_7" }),
  ]
  expect(expiryWarnings(quiet, nowMs)).toEqual([])
})
