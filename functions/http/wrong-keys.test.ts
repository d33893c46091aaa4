import { describe, expect, test } from "vitest"
import { createLog } from "../../lib/log.ts"
import { createTestApp } from "./test-app.ts"
import { createWrongKeys } from "./wrong-keys.ts"

const QUERY = { query: "a" }
const WRONG = { "x-api-key": "wrong" }

/** Counting with a clock of its own, in seconds. */
function counting() {
  const clock = { s: 1_000 }
  const lines: string[] = []
  const log = createLog({ level: "warn", write: (line) => lines.push(line) })
  const wrongKeys = createWrongKeys(log, () => clock.s * 1_000)
  const count = (times: number, address = "192.0.2.1") => Array.from({ length: times }, () => wrongKeys.count(address))
  return { clock, lines, wrongKeys, count }
}

describe("wrong keys of one address", () => {
  test("are free ten times in a minute, and then wait twice as long each time, five minutes at most", () => {
    const { count } = counting()
    expect(count(10)).toEqual(Array(10).fill(0))
    expect(count(10)).toEqual([2, 4, 8, 16, 32, 64, 128, 256, 300, 300])
  })

  test("one every ten seconds never waits", () => {
    const { clock, count } = counting()
    for (let i = 0; i < 100; i++, clock.s += 10) expect(count(1)).toEqual([0])
  })

  test("keep their wait while more come, also when a minute is over, and lose it after a wait and a quiet minute", () => {
    const { clock, count } = counting()
    count(18)
    clock.s += 100
    expect(count(1)).toEqual([300])
    clock.s += 359
    expect(count(1)).toEqual([0])
    const { clock: other, count: again } = counting()
    again(18)
    other.s += 256 + 60
    expect(again(11)).toEqual([...Array(10).fill(0), 2])
  })

  test("are counted apart from another's; of an IPv6 network of 64 bits, together", () => {
    const { count, wrongKeys } = counting()
    count(10)
    expect(count(1, "192.0.2.2")).toEqual([0])
    for (let i = 0; i < 10; i++) expect(count(1, `2001:db8:0:1::${i}`)).toEqual([0])
    expect(count(1, "2001:0db8::1:aaaa:0:0:1")).toEqual([2])
    expect(count(1, "2001:db8:0:2::1")).toEqual([0])
    for (let i = 0; i < 10; i++) expect(wrongKeys.count(undefined)).toBe(0)
    expect(wrongKeys.count(undefined)).toBe(2)
  })

  test("take one line of the log a minute, with the address and how many they were", () => {
    const { clock, lines, count } = counting()
    count(30)
    clock.s += 60
    count(1)
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { level: "warn", message: "wrong API key", address: "192.0.2.1", count: 1 },
      { level: "warn", message: "wrong API key", address: "192.0.2.1", count: 30, waitS: 300 },
    ])
  })

  test("are counted for metrics", () => {
    const { wrongKeys, count } = counting()
    count(12)
    count(1, "192.0.2.2")
    expect(wrongKeys.counted()).toEqual({ wrong: 13, slowed: 2 })
  })

  test("are remembered of 10,000 addresses at most", () => {
    const { count } = counting()
    count(10)
    for (let i = 0; i < 10_000; i++) count(1, `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`)
    expect(count(1)).toEqual([0])
  })
})

describe("over HTTP", () => {
  test("the eleventh wrong key is a 429 with Retry-After, and a right key from the same address passes", async () => {
    const { post, lines } = createTestApp({ policy: "keys" })
    for (let i = 0; i < 10; i++) expect((await post("/search", QUERY, WRONG)).status).toBe(401)
    for (const retryAfter of ["2", "4"]) {
      const slowed = await post("/search", QUERY, WRONG)
      expect(slowed.status).toBe(429)
      expect(slowed.headers.get("retry-after")).toBe(retryAfter)
      expect(await slowed.json()).toMatchObject({ code: "rate_limited", retry_after_s: Number(retryAfter) })
      expect((await post("/search", QUERY, { "x-api-key": "acme" })).status).toBe(200)
    }
    expect(lines.filter((line) => line.includes("wrong API key"))).toHaveLength(1)
    expect(lines.join("")).not.toContain('"wrong"')
  })

  test("a request without a key is no wrong key", async () => {
    const { post, parts } = createTestApp({ policy: "keys" })
    for (let i = 0; i < 12; i++) expect((await post("/search", QUERY)).status).toBe(401)
    expect(parts.wrongKeys.counted().wrong).toBe(0)
  })

  test("one who writes another address into X-Forwarded-For each time is slowed all the same", async () => {
    for (const trustedProxies of [0, 1]) {
      const { post } = createTestApp({ policy: "keys", trustedProxies })
      const statuses = []
      for (let i = 0; i < 11; i++) {
        const seen = trustedProxies === 1 ? ", 198.51.100.7" : ""
        statuses.push((await post("/search", QUERY, { ...WRONG, "x-forwarded-for": `203.0.113.${i}${seen}` })).status)
      }
      expect(statuses).toEqual([...Array(10).fill(401), 429])
    }
  })
})
