import { runCli } from "../cli/run-cli.ts"
import type { Terminal } from "../cli/terminal.ts"

/** A terminal of 80 columns without colour that keeps what is written to it. */
export function keepingTerminal(signal: AbortSignal = new AbortController().signal) {
  const out: string[] = []
  const err: string[] = []
  const statuses: string[] = []
  const terminal: Terminal = {
    line: (text = "") => out.push(text),
    note: (text) => err.push(text),
    columns: 80,
    rows: 24,
    bold: (text) => text,
    dim: (text) => text,
    progress: () => ({ at: () => {}, stop: () => {} }),
    bars: () => ({ add: () => ({ at: () => {}, end: () => {} }), stop: () => {} }),
    status: () => ({ show: (text) => statuses.push(text), end: () => {} }),
    signal,
    cancellable: (work) => work(signal),
  }
  return { terminal, out, err, statuses }
}

/** Runs one command and gives what it printed where, without a terminal. */
export async function concordance(...args: string[]) {
  const { terminal, out, err } = keepingTerminal()
  const status = await runCli(args, terminal)
  return { status, out: out.join("\n"), err: err.join("\n") }
}
