import { runCli } from "../cli/run-cli.ts"

/** Runs one command and gives what it printed where, without a terminal. */
export async function runCommand(...args: string[]) {
  const out: string[] = []
  const err: string[] = []
  const status = await runCli(args, {
    line: (text = "") => out.push(text),
    note: (text) => err.push(text),
    columns: 80,
    bold: (text) => text,
    dim: (text) => text,
    progress: () => ({ at: () => {}, stop: () => {} }),
    bars: () => ({ add: () => ({ at: () => {}, end: () => {} }), stop: () => {} }),
    signal: new AbortController().signal,
  })
  return { status, out: out.join("\n"), err: err.join("\n") }
}
