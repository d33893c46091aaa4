import { describeMachine } from "../bench/machine.ts"
import { measureRerankTimes } from "../bench/rerank-times.ts"
import { formatTable } from "../bench/table.ts"
import type { Terminal } from "./terminal.ts"

export interface RerankOptions {
  readonly threads: number
  readonly rounds: number
  readonly json?: true
}

const PASSAGES = [15, 50, 100]

/** `bench rerank`: what reranking takes, by late interaction and by a cross-encoder's shape. */
export async function benchRerank(folder: string, options: RerankOptions, terminal: Terminal): Promise<void> {
  const { threads, rounds, json } = options
  const timing = terminal.progress("Reranking", 2 * PASSAGES.length)
  const onTimed = (done: number) => {
    terminal.signal.throwIfAborted()
    timing.at(done)
  }
  const times = await measureRerankTimes({ folder, threads, rounds, passages: PASSAGES, onTimed }).finally(() =>
    timing.stop(),
  )
  if (!json) {
    const rows = times.map((time) => [time.reranker, time.passages, time.p50_ms, time.p95_ms, time.cpu_ms])
    terminal.line(formatTable(["", "passages", "p50 ms", "p95 ms", "CPU ms"], rows))
    return
  }
  const command = `concordance bench rerank <folder> --threads ${threads} --rounds ${rounds} --json`
  terminal.line(JSON.stringify({ machine: describeMachine(), command, times }, null, 2))
}
