import { expect, test, vi } from "vitest"
import { askAgain } from "./ask-again.ts"

const failing = (error: unknown) =>
  vi.fn<() => Promise<string>>().mockRejectedValueOnce(error).mockResolvedValue("woken")
const withCode = (code: string) => Object.assign(new Error("x"), { code })

test.each([
  ["a refused connection", withCode("ECONNREFUSED")],
  ["a server that is starting", withCode("57P03")],
  [
    "the driver's error around it",
    new Error("x", { cause: new TypeError("fetch failed", { cause: withCode("ENOTFOUND") }) }),
  ],
  ["Neon's proxy without its compute", new Error("Server error (HTTP status 500): Couldn't connect to compute node")],
  ["all addresses refused", new AggregateError([withCode("ECONNREFUSED")], "x")],
])("%s is tried once more", async (_, error) => {
  const run = failing(error)
  expect(await askAgain(run, 5_000)).toBe("woken")
  expect(run).toHaveBeenCalledTimes(2)
})

test.each([
  ["a connection lost half-way", withCode("ECONNRESET")],
  ["a refused statement", withCode("23505")],
  ["no connection left, which asking again makes worse", withCode("53300")],
  ["anything else", new Error("x")],
])("%s is not, for it may have begun", async (_, error) => {
  const run = failing(error)
  await expect(askAgain(run, 5_000)).rejects.toBe(error)
  expect(run).toHaveBeenCalledTimes(1)
})

test("there is no second try without time for it", async () => {
  const error = withCode("ECONNREFUSED")
  await expect(askAgain(failing(error), 400)).rejects.toBe(error)
})
