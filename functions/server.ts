import type { Config } from "../lib/config.ts"
import { AppError } from "../lib/errors.ts"
import { createLog, type Log } from "../lib/log.ts"
import type { LoadedSamples } from "../lib/runtime/load-samples.ts"
import { configFromEnvironment } from "./environment.ts"
import { runServer } from "./run-server.ts"
import { stopOnSignal } from "./stop-on-signal.ts"
import { runObserved } from "./telemetry/run-observed.ts"

/** The Node server: every route, with embedded defaults, on port 3825. */
async function main(): Promise<void> {
  const config = configFromEnvironment()
  const write = (line: string) => process.stderr.write(line)
  const log = createLog({ level: config.logLevel, write, readable: process.stderr.isTTY === true })
  await runObserved(log, () => serve(config, log))
}

async function serve(config: Config, log: Log): Promise<void> {
  const server = await runServer(config, log)
  const stopped = stopOnSignal(server)
  log.info("listening", { url: server.url })
  const samples = await server.samples
  if (samples.indexed > 0) process.stdout.write(firstSteps(server.url, samples))
  await stopped
}

function firstSteps(url: string, { indexed, queued }: LoadedSamples): string {
  const ask = (request: object) =>
    `  curl -s ${url}/search -H 'content-type: application/json' -d '${JSON.stringify(request)}'`
  const pdfs = queued > 0 ? ` ${queued} PDFs more are being read in the background.` : ""
  return `
Loaded ${indexed} sample documents.${pdfs} Open ${url} in a browser, or ask:

${ask({ query: "Who rescued the crew of the schooner?", top_k: 3 })}
${ask({ query: "correcoes da mare na foz do rio", strategy: "weighted", top_k: 3 })}
${ask({ query: "lighthouse -paraffin", filter: { language: "en" }, explain: true })}

`
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    // Its message is written for the operator; a stack would only hide it.
    const text = error instanceof AppError && error.code !== "internal" ? error.message : (error as Error).stack
    process.stderr.write(`Concordance can't run: ${text}\n`)
    process.exit(1)
  },
)
