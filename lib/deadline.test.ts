import { setTimeout as sleep } from "node:timers/promises"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { expect, test } from "vitest"
import { deadlineIn } from "./deadline.ts"

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
