import { type Command, Option } from "commander"
import type { Target } from "./client/target.ts"
import { CommandFailed, EXIT } from "./exit.ts"
import { printableJson, type Terminal } from "./terminal.ts"

interface ClientOptions {
  readonly url: string
  readonly key?: string
  readonly sse?: true
  readonly tenant?: string
  readonly json?: true
}

/** Where `npm start` listens. */
const URL_HERE = "http://127.0.0.1:3825"

const HELP = `
Without a question, in a terminal, it shows a menu. Ctrl-C cancels what runs,
and leaves where nothing does. Put the key in CONCORDANCE_KEY: other users of
this machine can read a command line.

Exit status: 0 answered, 1 failed, 2 called in a wrong way, 3 refused since
nothing that was found answers it, 130 ended by Ctrl-C.`

export function addClientCommand(program: Command, terminal: Terminal): void {
  program
    .command("client")
    .description("ask a running server, and search it, over MCP (docs/mcp.md)")
    .argument("[question...]", "prints the answer and ends; without it, a menu")
    .option("--url <address>", "of the server", URL_HERE)
    .addOption(new Option("--key <key>", "API key; better in the variable").env("CONCORDANCE_KEY"))
    .option("--sse", "over SSE, for servers that have nothing newer")
    .option("--tenant <name>", "whose documents, where the key is for several")
    .option("--json", "print the answer's data alone")
    .addHelpText("after", HELP)
    .action((words: string[], options: ClientOptions, command: Command) => {
      const question = words.join(" ").trim()
      if (question !== "") return answer(question, options, terminal)
      if (options.json) return command.error("--json takes a question to answer.")
      if (process.stdin.isTTY !== true || process.stdout.isTTY !== true) {
        return command.error("Give a question, or run it in a terminal for the menu.")
      }
      return menu(options, terminal)
    })
}

async function openTarget(options: ClientOptions, terminal: Terminal): Promise<Target> {
  const { isKeyInTheOpen, readTarget } = await import("./client/target.ts")
  const target = readTarget(options)
  if (isKeyInTheOpen(target)) terminal.note("Note: the key goes over the network in the open. Use https.")
  return target
}

async function answer(question: string, options: ClientOptions, terminal: Terminal): Promise<void> {
  const target = await openTarget(options, terminal)
  const { askServer, printAnswer } = await import("./client/ask.ts")
  const { createServerTools } = await import("./client/tools.ts")
  const { signal } = terminal
  const { data, sent } = await askServer(createServerTools(target), { question, signal }, terminal)
  if (options.json) terminal.line(printableJson(sent))
  else printAnswer(data, terminal)
  if (data.refused) throw new CommandFailed(EXIT.refused)
}

async function menu(options: ClientOptions, terminal: Terminal): Promise<void> {
  const target = await openTarget(options, terminal)
  const { createPrompts } = await import("./client/prompts.ts")
  const { createServerTools } = await import("./client/tools.ts")
  const { openOnDesktop } = await import("./client/show-crop.ts")
  const { runMenu } = await import("./client/menu.ts")
  const tools = createServerTools(target)
  const { server } = await tools.health(terminal.signal)
  terminal.line(`${terminal.bold(server)} at ${target.url.origin}`)
  await runMenu({ tools, prompts: createPrompts(terminal.signal), terminal, openFile: openOnDesktop })
}
