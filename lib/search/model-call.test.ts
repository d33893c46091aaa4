import { expect, test } from "vitest"
import { deadlineIn } from "../deadline.ts"
import { AppError } from "../errors.ts"
import { callModel } from "./model-call.ts"

test("gives what the model gave", async () => {
  expect(await callModel("model", 1_000, deadlineIn(1_000), async () => 7)).toEqual({ value: 7 })
})

test("a model that never answers is given up after its time, whichever limit is nearer", async () => {
  const never = () => new Promise<never>(() => {})
  expect(await callModel("model", 30, deadlineIn(5_000), never)).toEqual({
    missing: "the model did not answer within 30 ms",
  })
  expect(await callModel("model", 5_000, deadlineIn(0), never)).toEqual({
    missing: "the model did not answer within 0 ms",
  })
})

test("a caller who goes away ends the wait", async () => {
  const caller = new AbortController()
  const from = performance.now()
  const waiting = callModel("model", 5_000, deadlineIn(5_000, caller.signal), () => new Promise(() => {}))
  caller.abort()
  expect(await waiting).toHaveProperty("missing")
  expect(performance.now() - from).toBeLessThan(1_000)
})

test("a failure is told by its code, never by its message", async () => {
  const fail = (error: Error) => callModel("model", 1_000, deadlineIn(1_000), () => Promise.reject(error))
  expect(await fail(new AppError("rate_limited", "secret"))).toEqual({ missing: "the model failed (rate_limited)" })
  expect(await fail(new Error("secret"))).toEqual({ missing: "the model failed" })
})

test("a model that fails after it was given up disturbs nobody", async () => {
  const late = () => new Promise((_, reject) => setTimeout(() => reject(new Error("late")), 40))
  expect(await callModel("model", 10, deadlineIn(1_000), late)).toHaveProperty("missing")
  await new Promise((resolve) => setTimeout(resolve, 60))
})
