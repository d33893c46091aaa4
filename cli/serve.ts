import type { Command } from "commander"

export function addServeCommand(program: Command): void {
  program
    .command("serve")
    .description("serve the HTTP API on HOST and PORT, as `npm start` does")
    .action(async () => {
      // Importing it runs the server. From here on Ctrl-C is that one's: while it starts it ends it at once.
      process.removeAllListeners("SIGINT")
      await import("../functions/server.ts")
    })
}
