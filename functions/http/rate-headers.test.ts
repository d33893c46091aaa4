import { parseList } from "structured-headers"
import { expect, test } from "vitest"
import { createMemoryLimits } from "../../lib/limits/memory-limits.ts"
import { createRates } from "../../lib/limits/rates.ts"
import { createTestApp } from "./test-app.ts"

/** The members of a header, each a name and its parameters, as RFC 9651 reads them. */
function read(answer: Response, name: string) {
  return parseList(answer.headers.get(name) ?? "").map(([item, parameters]) => [item, Object.fromEntries(parameters)])
}

test("RateLimit-Policy and RateLimit are lists of strings with whole numbers (RFC 9651), of key and tenant, of refusals too", async () => {
  const rates = createRates(createMemoryLimits(), { ratePerTenant: 100 })
  const { post } = createTestApp({ policy: "keys", rates })
  const ask = () => post("/search", { query: "a" }, { "x-api-key": "slow" })
  const answers = [await ask(), await ask(), await ask()]
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 429])
  const [first, , refused] = answers as [Response, Response, Response]
  const key = ["key", { q: 2, w: 60 }]
  const tenant = ["tenant", { q: 100, w: 60 }]
  expect(read(first, "RateLimit-Policy")).toEqual([key, tenant])
  expect(read(first, "RateLimit")).toEqual([
    ["key", { r: 1, t: 60 }],
    ["tenant", { r: 99, t: 60 }],
  ])
  // Refused by its key, it isn't counted for the tenant.
  expect(read(refused, "RateLimit-Policy")).toEqual([key])
  expect(read(refused, "RateLimit")).toEqual([["key", { r: 0, t: 60 }]])
})
