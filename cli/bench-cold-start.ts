import { measureColdStart } from "../bench/cold-start.ts"
import type { Terminal } from "./terminal.ts"

/** Prints the figures as JSON: there are few. */
export async function benchColdStart(terminal: Terminal): Promise<void> {
  terminal.line(JSON.stringify(await measureColdStart(), null, 2))
}
