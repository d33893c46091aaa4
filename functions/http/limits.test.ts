import { readFileSync } from "node:fs"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { openPort } from "../open-port.ts"
import { app, LIMITS } from "./limit-requests.ts"
import { Problem } from "./problem.ts"

/** The table in docs/api.md, Limits, by the first cell of its rows. */
const ROWS = new Map(
  readFileSync("docs/api.md", "utf8")
    .split("\n## Limits\n")[1]
    ?.split("\n## ")[0]
    ?.split("\n")
    .filter((line) => line.startsWith("| ") && !/^\| (?:limit|---) \|/.test(line))
    .map((line) => line.split(" | ").map((cell) => cell.replace(/^\| | \|$/g, "")))
    .map(([name = "", limit = "", refusal = ""]) => [name, { limit, refusal }]),
)

/** Rows whose refusal needs more than a request: the file and name of its test. The first cell, as in the table. */
const TESTED_ELSEWHERE: readonly (readonly [row: string, file: string, name: string])[] = [
  [
    "body of `/index`, a line of `/index/batch`, `/embed`, `/rerank`, `/v1/embeddings`",
    "functions/http/index-batch.test.ts",
    "a line over the limit fails alone",
  ],
  ["time of a body", "functions/http/body-parts.test.ts", "a body that falls silent is refused, and its stream let go"],
  [
    "lines of `/index/batch`",
    "functions/http/index-batch.test.ts",
    "results come while lines still arrive, and an unread answer stops the reading",
  ],
  [
    "file",
    "tests/documents.test.ts",
    "a file over the limit is refused with 413, with and without a length, and nothing of it stays",
  ],
  [
    "pages of a file",
    "tests/documents.test.ts",
    "a file over the limit is refused with 413, with and without a length, and nothing of it stays",
  ],
  [
    "days of `/usage`",
    "tests/usage.test.ts",
    "days in the wrong order, too many of them, or no days at all are a 400 that says what they must be",
  ],
  [
    "requests a minute of a key",
    "functions/http/auth.test.ts",
    "a key's rate is kept: every answer says how it stands, and a refusal when to come again",
  ],
  [
    "requests a minute of a key",
    "functions/http/auth.test.ts",
    "a key without a rate has the installation's, a request without a key has none",
  ],
  [
    "requests a minute for a tenant",
    "functions/http/auth.test.ts",
    "a tenant's rate holds for all keys, for each line of a batch, and for nobody else",
  ],
  [
    "searches and answers of a tenant at once",
    "lib/limits/tenant-places.test.ts",
    "a tenant has so many under way, as many again wait, one more is refused at once, and others go on",
  ],
  ["searches and answers of a tenant at once", "tests/faults/too-many.test.ts", "500 searches at once"],
  [
    "tokens of a tenant's day",
    "tests/answer-limits.test.ts",
    "a day without tokens is rate_limited, at the start and under way, and asks nothing more",
  ],
  [
    "tokens of a tenant's day",
    "tests/usage.test.ts",
    "INFERENCE_TOKENS_PER_DAY ends a tenant's embedding, of texts and of documents, and nobody else's",
  ],
  [
    "waiting for a model, the database",
    "tests/overload.test.ts",
    "texts to embed beyond the model's queue get 503 at once, and the rest their vectors",
  ],
  [
    "waiting for a model, the database",
    "lib/database/bounded-database.test.ts",
    "so many units are under way at once; one more is refused before it begins, and those that fail make room too",
  ],
]

const HEADERS = "headers of a request"

test("every row of the table in docs/api.md has a test of its refusal, and no test is of a row that isn't there", () => {
  const tested = [HEADERS, ...LIMITS.map(({ row }) => row), ...TESTED_ELSEWHERE.map(([row]) => row)]
  expect([...new Set(tested)].sort()).toEqual([...ROWS.keys()].sort())
  const missing = TESTED_ELSEWHERE.filter(([, path, name]) => !readFileSync(path, "utf8").includes(name))
  expect(missing).toEqual([])
})

describe("what is one beyond its limit", () => {
  test.each(LIMITS)(
    "$row, $what, $written: is refused as the table says, by field and limit, and what is at it is not",
    async ({ row, max, written, field, said, send }) => {
      const { limit = "", refusal = "" } = ROWS.get(row) ?? {}
      expect(limit).toContain(written)
      const response = await send(max + 1)
      const problem = Problem.parse(await response.json())
      const [, code, status] = /`(\w+)` (\d{3})/.exec(refusal) ?? []
      expect([problem.code, String(response.status)]).toEqual([code, status])
      if (field) expect(problem.errors?.map((error) => error.field)).toContain(field)
      expect(problem.detail).toMatch(said ?? new RegExp(`\\b${max}\\b`))
      const within = await send(max)
      const { detail } = (await within.json()) as { detail?: string }
      expect(detail).not.toBe(problem.detail)
    },
  )
})

describe(HEADERS, () => {
  let port: Awaited<ReturnType<typeof openPort>>
  beforeAll(async () => {
    port = await openPort(app.app, { host: "127.0.0.1", port: 0 })
  })
  afterAll(() => port.close())

  // That they take 60 s at the most is Node's own `headersTimeout`, which functions/open-port.ts sets: no test waits for it.
  test("of more than 16 KB are a 431 without a body", async () => {
    const ask = (size: number) => fetch(`${port.url}/documents`, { headers: { "x-much": "x".repeat(size) } })
    const refused = await ask(16_384)
    expect([refused.status, await refused.text()]).toEqual([431, ""])
    expect((await ask(15_000)).status).toBe(200)
  })
})
