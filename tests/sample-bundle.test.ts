import { afterAll, beforeAll, expect, test } from "vitest"
import type { SearchResponse } from "../lib/search/response.ts"
import { BILINGUAL_QUESTIONS } from "./bilingual-questions.ts"
import { type Served, serve } from "./served.ts"

// The sample bundle, with the real model of the profile `mini`, which understands English alone.

const BUNDLE = "samples/bundles/andorinha-inquiry-1934"

let served: Served
beforeAll(async () => {
  served = await serve()
  const outcome = await served.runtime.importBundle("primary", BUNDLE)
  expect(outcome).toMatchObject({ status: "imported", chunks: 40, tables: 2 })
}, 300_000)
afterAll(() => served.close())

async function topThree(query: string, strategy: string): Promise<string[]> {
  const response = await served.post("/search", { query, group_by: "chunk", strategy, top_k: 3 })
  const { results } = (await response.json()) as SearchResponse
  return results.map(({ chunk_id }) => chunk_id)
}

test.each(["rrf", "weighted"])(
  "thirty questions in English and the same in Portuguese find the chunk that answers them among the first three, in 27 of 30 at least, by %s",
  {
    timeout: 300_000,
  },
  async (strategy) => {
    expect(BILINGUAL_QUESTIONS).toHaveLength(30)
    const missed: Record<string, string[]> = { en: [], pt: [] }
    for (const [chunk, en, pt] of BILINGUAL_QUESTIONS) {
      if (!(await topThree(en, strategy)).includes(chunk)) missed["en"]?.push(en)
      if (!(await topThree(pt, strategy)).includes(chunk)) missed["pt"]?.push(pt)
    }
    expect(missed["en"]?.length, `missed: ${missed["en"]?.join(" ")}`).toBeLessThanOrEqual(3)
    expect(missed["pt"]?.length, `missed: ${missed["pt"]?.join(" ")}`).toBeLessThanOrEqual(3)
  },
)
