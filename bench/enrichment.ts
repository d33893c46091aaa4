import { parseConfig } from "../lib/config.ts"
import { describeFile } from "../lib/documents/ingest/fetch-upload.ts"
import { listFiles } from "../lib/documents/ingest/list-files.ts"
import { createLog } from "../lib/log.ts"
import { openRuntime } from "../lib/runtime/open-runtime.ts"
import { fakeTokens, type LlmQuestion, startFakeLlm } from "../tests/fake-llm.ts"
import { formatTable } from "./table.ts"

/** What the enrichment of one file would cost; tokens are bytes by four. */
interface EnrichmentCost {
  readonly file: string
  /** Null for formats without pages. */
  readonly pages: number | null
  readonly words: number
  readonly passages: number
  readonly figures: number
  readonly calls: number
  readonly asked: number
  readonly answered: number
  /** What would be asked if translation, anomalies and entities were three questions. */
  readonly asked_apart: number
}

interface Passage {
  readonly id: string
  readonly translate_to: string | null
  readonly text: string
}
const passagesOf = ({ user }: LlmQuestion): readonly Passage[] => {
  const { passages = [] } = JSON.parse(user) as { passages?: readonly Passage[] }
  return passages
}

/**
 * Ingests files with a language model that is a double behind HTTP, and adds up what it was asked. Its answers are as long as
 * a real one's: a translation 1.1 times as long as its text (the sample bundle's are .91 to 1.21 times), two entities a
 * passage, an anomaly in every fifth. What a figure costs is a guess of 1,000 tokens for its picture.
 */
export async function measureEnrichment(paths: readonly string[]): Promise<EnrichmentCost[]> {
  const llm = await startFakeLlm((question) => ({ content: answerTo(question) }))
  const config = parseConfig({
    EMBEDDING_MODEL: "none",
    RERANK_MODEL: "none",
    USE_VLLM: "true",
    VLLM_BASE_URL: llm.baseUrl,
    ENRICH_DOCUMENTS: "true",
    ENRICH_TOKENS_MAX: "999999999",
  })
  const runtime = await openRuntime(config, {
    log: createLog({ level: "error", write: (line) => process.stderr.write(line) }),
    databaseHome: "memory://",
  })
  const costs: EnrichmentCost[] = []
  try {
    for (const file of (await Promise.all(paths.map((path) => listFiles(path)))).flat()) {
      const before = llm.questions.length
      const options = { metadata: {}, flat: false }
      const name = file.path.split("/").at(-1) ?? file.path
      await runtime.ingest.add("primary", { id: file.id, fileName: name, options }, await describeFile(file.path))
      await runtime.ingest.idle()
      const { page_count = null } = await runtime.documents.get("primary", file.id)
      costs.push(costOf(name, page_count, llm.questions.slice(before)))
    }
  } finally {
    await runtime.close()
    await llm.close()
  }
  return costs
}

function answerTo(question: LlmQuestion): object {
  if (question.images.length > 0) return { description: "m".repeat(400) }
  const passages = passagesOf(question).map(({ id, translate_to, text }, i) => ({
    id,
    translation: translate_to && `${text} ${text.slice(0, text.length / 10)}`,
    anomalies: i % 5 === 0 ? [{ kind: "spelling", note: "n".repeat(120) }] : [],
    entities: Array.from({ length: 2 }, () => ({ name: "n".repeat(16), kind: "person" })),
  }))
  return { passages }
}

function costOf(file: string, pages: number | null, questions: readonly LlmQuestion[]): EnrichmentCost {
  const sum = (of: (question: LlmQuestion) => number): number => questions.reduce((total, one) => total + of(one), 0)
  const picture = ({ images }: LlmQuestion): number => images.length * 1_000
  const passages = questions.flatMap(passagesOf)
  return {
    file,
    pages,
    words: passages.reduce((total, { text }) => total + text.split(/\s+/).length, 0),
    passages: passages.length,
    figures: questions.filter(({ images }) => images.length > 0).length,
    calls: questions.length,
    asked: sum((one) => fakeTokens(one.system) + fakeTokens(one.user) + picture(one)),
    answered: sum((one) => fakeTokens(JSON.stringify(answerTo(one)))),
    asked_apart: sum(
      (one) => fakeTokens(one.system) + fakeTokens(one.user) * (one.images.length > 0 ? 1 : 3) + picture(one),
    ),
  }
}

/** The costs as a table, the sum last; `a page` is by 500 words where there are no pages. */
export function formatEnrichmentCosts(costs: readonly EnrichmentCost[]): string {
  const head = ["file", "pages", "passages", "figures", "calls", "asked", "answered", "a page", "asked apart"]
  const pagesOf = ({ pages, words }: EnrichmentCost): number => pages ?? words / 500
  const add = (of: (cost: EnrichmentCost) => number): number => costs.reduce((total, cost) => total + of(cost), 0)
  const row = (file: string, of: (pick: (cost: EnrichmentCost) => number) => number): (string | number)[] => [
    file,
    of(pagesOf).toFixed(1),
    ...[of((c) => c.passages), of((c) => c.figures), of((c) => c.calls), of((c) => c.asked), of((c) => c.answered)],
    Math.round(of((c) => c.asked + c.answered) / of(pagesOf)),
    of((c) => c.asked_apart),
  ]
  return formatTable(head, [...costs.map((cost) => row(cost.file, (pick) => pick(cost))), row("together", add)])
}
