import { runCli } from "./run-cli.ts"
import { createTerminal } from "./terminal.ts"

const interrupted = new AbortController()
process.on("SIGINT", () => {
  // The first lets the command put its things away; whoever asks twice doesn't want to wait for that.
  if (interrupted.signal.aborted) process.exit(130)
  interrupted.abort()
})
// `search … | head` closes the pipe before all is written: that is no failure.
process.stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 1))

const terminal = createTerminal(process.stdout, process.stderr, interrupted.signal)
process.exitCode = await runCli(process.argv.slice(2), terminal)
