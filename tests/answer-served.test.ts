import { afterAll, beforeAll, expect, test } from "vitest"
import { createPostgresTokenBudget } from "../lib/limits/postgres-token-budget.ts"
import { startAnswering } from "./answering.ts"
import { openTestDatabase, type TestDatabase } from "./database.ts"
import { type Served, serve } from "./served.ts"

// The graph over the product's own search and database; the language model alone is the double.

let served: Served
let db: TestDatabase
beforeAll(async () => {
  ;[served, db] = await Promise.all([serve(), openTestDatabase()])
  const documents = [
    {
      id: "guides/tides",
      title: "Tide guide",
      content: "High water at the harbour comes fifty minutes later each day.",
    },
    { id: "keeper", title: "The keeper", content: "Amaro Pinto kept the lighthouse of Ponta Ruiva until 1957." },
    {
      id: "stew",
      title: "Fisherman's stew",
      content: "Onions, potatoes and the catch of the day, simmered for an hour.",
    },
  ]
  for (const document of documents) expect((await served.post("/index", document)).status).toBe(201)
})
afterAll(() => Promise.all([served?.close(), db?.close()]))

test("an answer over indexed documents cites those that the search found, and its tokens are counted for its tenant", async () => {
  const { runtime } = served
  const budget = createPostgresTokenBudget(db.database, { purpose: "answers", perDay: 100_000 })
  const relevant = /lighthouse/
  const answering = await startAnswering({
    deps: { retrieve: runtime.retrieve, budget },
    reply: ({ name, user }) => {
      const thought = "It says so."
      if (name === "RelevanceGrade")
        return { content: { thought, answer: relevant.test(contentOf(user)) ? "YES" : "NO" } }
      if (name === "text") return { rawContent: "Amaro Pinto kept it until 1957 [Doc 1][Doc 2]." }
      if (name === "SupportGrade") return { content: { thought, label: "fully_supported" } }
      return { content: { thought, label: "useful", answer: "YES" } }
    },
  })
  try {
    const response = await answering.ask({ question: "Who kept the lighthouse of Ponta Ruiva?" })
    expect(response).toMatchObject({
      answer: "Amaro Pinto kept it until 1957 [[keeper#c0001]].",
      support: "fully_supported",
      removed_citations: 1,
      citations: [{ id: "keeper", title: "The keeper", content: expect.stringContaining("Amaro Pinto") }],
    })
    const { prompt_tokens, completion_tokens } = response.usage
    const text = "select tokens::int as tokens from answer_tokens"
    const [[row] = []] = await db.database.batch({ tenant: "primary" }, [{ text }])
    expect(row).toEqual({ tokens: prompt_tokens + completion_tokens })
  } finally {
    await answering.close()
  }
})

const contentOf = (user: string): string => /<content>([^<]*)/.exec(user)?.[1] ?? ""
