import { setTimeout as sleep } from "node:timers/promises"
import { expect, test } from "vitest"
import { measureCapacity, runAtRate, type Sent } from "./soak-load.ts"
import { slopeOf } from "./soak-samples.ts"

test("an open loop sends its rate in its shares, and counts the wait of what is late", async () => {
  const sent: Sent[] = []
  const slow = { name: "slow", share: 30, send: () => sleep(50).then(() => 200) }
  const broken = { name: "broken", share: 70, send: async () => 0 }
  await runAtRate([slow, broken], 100, 1, (one) => sent.push(one))
  expect(sent).toHaveLength(100)
  expect(sent.filter(({ kind }) => kind === "slow")).toHaveLength(30)
  expect(Math.min(...sent.filter(({ kind }) => kind === "slow").map(({ ms }) => ms))).toBeGreaterThan(45)
  expect(sent.filter(({ status }) => status === 0)).toHaveLength(70)
})

test("capacity counts what was answered well, and nothing else", async () => {
  const half = { name: "half", share: 100, send: (n: number) => sleep(10).then(() => (n % 2 === 0 ? 200 : 503)) }
  const capacity = await measureCapacity([half], 4, 1)
  expect(capacity).toBeGreaterThan(10)
  expect(capacity).toBeLessThanOrEqual(200)
})

test("the slope of a line is its slope, and of nothing none", () => {
  expect(slopeOf([0, 1, 2, 3].map((x) => ({ x, y: 5 + 2 * x })))).toBeCloseTo(2)
  expect(slopeOf([{ x: 1, y: 1 }])).toBe(0)
})
