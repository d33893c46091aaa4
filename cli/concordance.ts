import { createInterrupts } from "./interrupts.ts"
import { runCli } from "./run-cli.ts"
import { createTerminal } from "./terminal.ts"

const interrupts = createInterrupts(() => process.exit(130))
process.on("SIGINT", interrupts.press)
// `search … | head` closes the pipe before all is written: that is no failure.
process.stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 1))

const terminal = createTerminal(process.stdout, process.stderr, interrupts)
process.exitCode = await runCli(process.argv.slice(2), terminal)
