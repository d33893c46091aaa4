import { fileURLToPath } from "node:url"
import type { IndexRequest } from "../lib/documents/index-request.ts"
import { readFolder } from "../lib/documents/read-folder.ts"
import { SearchRequest } from "../lib/search/request.ts"
import { CommandFailed } from "./exit.ts"
import { formatHits } from "./format-hits.ts"
import type { Terminal } from "./terminal.ts"
import { withRuntime } from "./with-runtime.ts"

const SAMPLES_FOLDER = fileURLToPath(new URL("../samples", import.meta.url))
const TENANT = "demo"

/** Each shows something that the others don't. */
const QUESTIONS = [
  { shows: "a question in English", query: "Who rescued the crew of the schooner?" },
  { shows: "by meaning: no text says it so", query: "food that lasted a year on board ship" },
  { shows: "uma pergunta em português", query: "A que horas abre a biblioteca ao sábado?" },
  { shows: "português sem acentos", query: "correcoes da mare na foz do rio" },
  { shows: "a phrase that must stand so", query: '"silver medal" coxswain' },
] as const

/** Loads the samples into a database in memory and asks them; fails when a question finds nothing. */
export async function runDemo(terminal: Terminal): Promise<void> {
  await withRuntime(
    terminal,
    async (product) => {
      const samples: IndexRequest[] = []
      for await (const sample of readFolder(SAMPLES_FOLDER)) samples.push(sample)
      const started = performance.now()
      for (const outcome of await product.indexDocuments(TENANT, samples)) {
        if ("failed" in outcome) throw outcome.failed
      }
      const seconds = ((performance.now() - started) / 1000).toFixed(1)
      terminal.line(`Indexed ${samples.length} documents in ${seconds} s.`)
      for (const { shows, query } of QUESTIONS) {
        const request = SearchRequest.parse({ query, top_k: 2, strategy: "weighted", highlight: true })
        const asked = performance.now()
        const { response } = await product.search(TENANT, request)
        const ms = (performance.now() - asked).toFixed(0)
        terminal.line(`\n${terminal.bold(query)}  ${terminal.dim(`(${shows}; ${ms} ms)`)}\n`)
        for (const line of formatHits(response, terminal)) terminal.line(line)
        if (response.count === 0) throw new CommandFailed()
      }
    },
    { inMemory: true },
  )
}
