import type { Command } from "commander"

export function addServeCommand(program: Command): void {
  program
    .command("serve")
    .description("serve the HTTP API on HOST and PORT, as `npm start` does")
    .action(async () => {
      // It runs the server; from here on the process and its signals are that one's.
      await import("../functions/server.ts")
    })
}
