import type { Key } from "node:readline"
import { select, text } from "@clack/prompts"
import { CommandFailed, EXIT } from "../exit.ts"

/** One thing to choose. */
export interface Choice<T extends string> {
  readonly value: T
  readonly label: string
  readonly hint?: string
}

/** Asks the person at the terminal. Ctrl-C ends the command (130); Esc is null, and leads back. */
export interface Prompts {
  choose<T extends string>(message: string, choices: readonly Choice<T>[]): Promise<T | null>
  /** `begun` stands there already. */
  ask(message: string, begun?: string): Promise<string | null>
}

/** Prompts by Clack, which takes Ctrl-C and Esc for the same: the key itself tells them apart. */
export function createPrompts(signal: AbortSignal): Prompts {
  async function answered(prompt: Promise<string | symbol>): Promise<string | null> {
    let isInterrupt = false
    const onKey = (_: string | undefined, { ctrl, name }: Key) => {
      if (ctrl && name === "c") isInterrupt = true
    }
    process.stdin.on("keypress", onKey)
    try {
      const value = await prompt
      if (typeof value === "string") return value
      if (isInterrupt || signal.aborted) throw new CommandFailed(EXIT.interrupted)
      return null
    } finally {
      process.stdin.off("keypress", onKey)
    }
  }
  return {
    choose: (message, choices) =>
      answered(select<string>({ message, options: [...choices], signal, showInstructions: false })) as Promise<never>,
    ask: (message, begun = "") =>
      answered(
        text({
          ...{ message, initialValue: begun, signal },
          validate: (value) => (value?.trim() ? undefined : "Type something first."),
        }),
      ),
  }
}
