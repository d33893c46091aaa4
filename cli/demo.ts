import type { Command } from "commander"
import type { Terminal } from "./terminal.ts"

export function addDemoCommand(program: Command, terminal: Terminal): void {
  program
    .command("demo")
    .description("load the sample texts into a database in memory, and ask them a few questions in two languages")
    .action(async () => {
      const { runDemo } = await import("./run-demo.ts")
      await runDemo(terminal)
    })
}
