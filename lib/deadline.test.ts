import { getEventListeners } from "node:events"
import { setTimeout as sleep } from "node:timers/promises"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { expect, test } from "vitest"
import { deadlineIn, withDeadline } from "./deadline.ts"

test("a deadline passes though garbage is collected and nobody holds anything but a listener", async () => {
  setFlagsFromString("--expose-gc")
  const collect = runInNewContext("gc") as () => void
  let fired = 0
  for (let i = 0; i < 200; i++) {
    deadlineIn(40, new AbortController().signal).signal.addEventListener("abort", () => fired++)
  }
  collect()
  await sleep(10)
  collect()
  await sleep(100)
  expect(fired).toBe(200)
})

test("it ends with the caller, for the caller's reason, and says what is left", () => {
  const caller = new AbortController()
  const deadline = deadlineIn(1_000, caller.signal)
  expect(deadline.left()).toBeGreaterThan(900)
  caller.abort(new Error("gone"))
  expect(deadline.signal.reason).toMatchObject({ message: "gone" })
  expect(deadlineIn(1_000, caller.signal).signal.aborted).toBe(true)
})

test("what ends by time says so by its name", async () => {
  const { signal, left } = deadlineIn(1)
  await sleep(20)
  expect(signal.reason).toMatchObject({ name: "TimeoutError" })
  expect(left()).toBe(0)
})

test("work under a deadline of its own leaves nothing with the caller, and ends by time or with the caller", async () => {
  const caller = new AbortController()
  const untilEnded = (signal: AbortSignal) =>
    new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)))
  expect(await withDeadline(1_000, caller.signal, async (signal) => signal.aborted)).toBe(false)
  await expect(withDeadline(10, caller.signal, untilEnded)).rejects.toMatchObject({ name: "TimeoutError" })
  expect(getEventListeners(caller.signal, "abort")).toEqual([])
  const working = withDeadline(60_000, caller.signal, untilEnded)
  caller.abort(new Error("gone"))
  await expect(working).rejects.toThrow("gone")
  expect(await withDeadline(1_000, caller.signal, async (signal) => signal.aborted)).toBe(true)
})
