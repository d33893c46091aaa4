import { formatLeakTiming, measureLeakTiming } from "../bench/leak-timing.ts"
import { describeMachine } from "../bench/machine.ts"
import { configFromEnvironment } from "../functions/environment.ts"
import { createLog } from "../lib/log.ts"
import type { Terminal } from "./terminal.ts"

export interface LeakTimingOptions {
  readonly pairs: number
  readonly json?: true
}

/** `bench leak-timing`: whether the time of an answer tells an id of another tenant's from one that nobody has. */
export async function benchLeakTiming({ pairs, json }: LeakTimingOptions, terminal: Terminal): Promise<void> {
  const log = createLog({ level: "error", write: (line) => terminal.note(line.trimEnd()), readable: true })
  const figures = await measureLeakTiming({ pairs }, configFromEnvironment(), log)
  if (!json) {
    terminal.line(formatLeakTiming(figures))
    return
  }
  const command = `concordance bench leak-timing --pairs ${pairs} --json`
  terminal.line(JSON.stringify({ machine: describeMachine(), command, figures }, null, 2))
}
