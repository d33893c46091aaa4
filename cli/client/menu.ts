import type { Turn } from "../../lib/answers/request.ts"
import type { AnswerCitation, AnswerResponse } from "../../lib/answers/response.ts"
import { describeFailure } from "../describe-failure.ts"
import { CommandFailed } from "../exit.ts"
import { formatHits } from "../format-hits.ts"
import type { Terminal } from "../terminal.ts"
import { askServer, printAnswer, printDegraded } from "./ask.ts"
import { sourceName } from "./format-answer.ts"
import { formatHealth, formatTools } from "./format-server.ts"
import type { Choice, Prompts } from "./prompts.ts"
import { type OpenFile, showCrop } from "./show-crop.ts"
import type { ServerTools } from "./tools.ts"

export interface MenuParts {
  readonly tools: ServerTools
  readonly prompts: Prompts
  readonly terminal: Terminal
  readonly openFile: OpenFile
}

type Action = "ask" | "search" | "health" | "tools" | "exit"

const ACTIONS: readonly Choice<Action>[] = [
  { value: "ask", label: "Ask a question", hint: "an answer with its sources" },
  { value: "search", label: "Search", hint: "passages as they stand" },
  { value: "health", label: "Health", hint: "whether the server is well" },
  { value: "tools", label: "List tools", hint: "what it can do" },
  { value: "exit", label: "Exit" },
]

/** Messages of a conversation that a question is understood by, and the longest one that a server takes. */
const HISTORY_MESSAGES = 6
const MESSAGE_CHARS_MAX = 8_000

/** The menu, until the person leaves it. Ctrl-C cancels what is under way; in a prompt it throws what `Prompts` throws. */
export async function runMenu(parts: MenuParts): Promise<void> {
  const { prompts, terminal } = parts
  for (;;) {
    const action = await prompts.choose("What would you like to do?", ACTIONS)
    if (action === null || action === "exit") return
    await work(parts, action)
    terminal.line()
  }
}

function work(parts: MenuParts, action: Exclude<Action, "exit">): Promise<unknown> {
  if (action === "ask") return converse(parts)
  if (action === "search") return search(parts)
  return action === "health" ? health(parts) : listTools(parts)
}

/** Undefined where it failed, which was said, or was cancelled. */
async function attempt<T>({ terminal }: MenuParts, step: (signal: AbortSignal) => Promise<T>): Promise<T | undefined> {
  return terminal.cancellable(async (signal) => {
    try {
      return await step(signal)
    } catch (error) {
      terminal.signal.throwIfAborted()
      if (error instanceof CommandFailed) throw error
      terminal.note(signal.aborted ? "Cancelled." : describeFailure(error, false))
      return undefined
    }
  })
}

/** Questions and what follows on them. One that failed stands there again, to be mended or sent anew. */
async function converse(parts: MenuParts): Promise<void> {
  const { tools, prompts, terminal } = parts
  const history: Turn[] = []
  let begun = ""
  for (;;) {
    const question = await prompts.ask(`${history.length > 0 ? "Follow-up" : "Question"} (Esc goes back)`, begun)
    if (question === null) return
    const asked = await attempt(parts, (signal) =>
      askServer(tools, { question, history: history.slice(-HISTORY_MESSAGES), signal }, terminal),
    )
    begun = asked ? "" : question
    if (!asked) continue
    terminal.line()
    printAnswer(asked.data, terminal)
    terminal.line()
    const answered = asked.data.answer.slice(0, MESSAGE_CHARS_MAX).toWellFormed()
    history.push({ role: "user", content: question }, { role: "assistant", content: answered })
    if (!(await goOn(parts, asked.data))) return
  }
}

/** Pictures, as long as some are asked for; then whether another question follows. */
async function goOn(parts: MenuParts, { citations }: AnswerResponse): Promise<boolean> {
  const pictured = citations
    .map((citation, index) => ({ citation, number: index + 1 }))
    .filter(({ citation }) => citation.crop_url !== undefined)
  const choices: Choice<"follow" | "picture" | "back">[] = [
    { value: "follow", label: "Ask a follow-up" },
    ...(pictured.length > 0
      ? [{ value: "picture" as const, label: "Open a picture of a source", hint: "as it stands on its page" }]
      : []),
    { value: "back", label: "Back to the menu" },
  ]
  for (;;) {
    const next = await parts.prompts.choose("And now?", choices)
    if (next !== "picture") return next === "follow"
    await openPicture(parts, pictured)
  }
}

interface Numbered {
  readonly citation: AnswerCitation
  readonly number: number
}

async function openPicture(parts: MenuParts, pictured: readonly Numbered[]): Promise<void> {
  const { tools, prompts, terminal, openFile } = parts
  const choices = pictured.map(({ citation, number }) => ({
    value: citation.citation,
    // The guide of the list takes what is left of the line.
    label: sourceName(citation, number, terminal.columns - 8),
  }))
  const [only] = choices
  const chosen = choices.length === 1 ? only?.value : await prompts.choose("Of which source?", choices)
  if (chosen === null || chosen === undefined) return
  await attempt(parts, async (signal) => {
    const { path, opened } = await showCrop(await tools.crop(chosen, signal), chosen, openFile)
    terminal.line(opened ? "Opened, and kept at" : "Nothing here opens pictures. It was written to")
    terminal.line(path)
  })
}

/** Searches, one after the other, as many hits each as the screen holds. */
async function search(parts: MenuParts): Promise<void> {
  const { tools, prompts, terminal } = parts
  let begun = ""
  for (let message = "Search for"; ; ) {
    const query = await prompts.ask(`${message} (Esc goes back)`, begun)
    if (query === null) return
    const found = await attempt(parts, (signal) => tools.search(query, hitsOn(terminal), signal))
    begun = found ? "" : query
    if (!found) continue
    terminal.line()
    for (const line of formatHits(found, terminal)) terminal.line(line)
    if (found.count === 0) terminal.line("Nothing was found. Other words may find more.")
    printDegraded(found, terminal)
    terminal.line()
    message = "Search again"
  }
}

/** Each takes up to six lines, the prompt below them four. */
const hitsOn = ({ rows }: Terminal): number => Math.min(10, Math.max(3, Math.floor((rows - 4) / 6)))

async function health(parts: MenuParts): Promise<void> {
  const found = await attempt(parts, (signal) => parts.tools.health(signal))
  if (!found) return
  parts.terminal.line()
  for (const line of formatHealth(found, parts.terminal)) parts.terminal.line(line)
}

async function listTools(parts: MenuParts): Promise<void> {
  const tools = await attempt(parts, (signal) => parts.tools.list(signal))
  if (!tools) return
  parts.terminal.line()
  for (const line of formatTools(tools, parts.terminal)) parts.terminal.line(line)
}
