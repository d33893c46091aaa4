import { afterAll, beforeAll, expect, test } from "vitest"
import { deadlineIn } from "../lib/deadline.ts"
import type { IndexRequest } from "../lib/documents/index-request.ts"
import { listFolder, readTextFile } from "../lib/documents/read-folder.ts"
import { headingsOf, passageText } from "../lib/passage.ts"
import { type Served, serve } from "./served.ts"

// RELEVANCE_GRADER=reranker judges by one number of the default reranker. These are the questions that chose it.

const ANSWERABLE: [string, string][] = [
  ["What does a day licence for anglers cost?", "en/fishing-rules-2023"],
  ["Who got a silver medal for saving a schooner's crew?", "en/lifeboat-constanca"],
  ["How much grease does the main bearing get?", "en/turbine-inspection-checklist"],
  ["What is the fee for returning a book late?", "en/library-opening-hours"],
  ["How is a torn net mended?", "en/net-mending-interview"],
  // These share no content word with what answers them.
  ["Which creatures may not be caught while pregnant?", "en/fishing-rules-2023"],
  ["Why did the vessel right itself when capsized?", "en/lifeboat-constanca"],
  ["How do they know the brine is strong enough?", "en/salt-pans"],
  ["What hints at worn-out machinery?", "en/turbine-inspection-checklist"],
]
const OFF_TOPIC = [
  "What is the capital of Mongolia?",
  "How do I reset my router's password?",
  "Which enzyme cuts DNA at a palindrome?",
  "Who won the chess world championship in 1972?",
  "What is the tax rate for companies in Ireland?",
  "How do I sort a list in Python?",
]

let served: Served
beforeAll(async () => {
  served = await serve()
  const requests: IndexRequest[] = []
  for (const file of await listFolder("samples/en")) {
    const read = await readTextFile(file)
    if (typeof read !== "string") requests.push({ ...read, id: `en/${read.id}` })
  }
  await served.runtime.indexDocuments("primary", requests, deadlineIn(120_000))
})
afterAll(() => served?.close())

async function scored(question: string) {
  const { retrieve, inference } = served.runtime
  const { response } = await retrieve("primary", { query: question }, deadlineIn(60_000))
  const texts = response.results.map(({ title, metadata, content }) =>
    passageText(title, headingsOf(metadata), content),
  )
  const scores = (await inference.reranker?.score(question, texts)) ?? []
  return response.results.map(({ id }, index) => ({ id, score: scores[index] ?? 0 }))
}

test("the default reranker's threshold keeps what answers, in other words too, and drops what is off topic", async () => {
  const least = served.runtime.inference.reranker?.relevantFrom ?? 0
  const right: number[] = []
  for (const [question, id] of ANSWERABLE) {
    right.push(...(await scored(question)).filter((found) => found.id === id).map(({ score }) => score))
  }
  expect(right).toHaveLength(ANSWERABLE.length)
  // .33 to .73: one of the nine is below.
  expect(right.filter((score) => score >= least).length).toBeGreaterThanOrEqual(8)
  const offTopic: number[] = []
  for (const question of OFF_TOPIC) offTopic.push(...(await scored(question)).map(({ score }) => score))
  // .17 to .34.
  expect(offTopic.filter((score) => score >= least)).toEqual([])
}, 300_000)
