import type { Turn } from "../../lib/answers/request.ts"
import type { AnswerResponse } from "../../lib/answers/response.ts"
import { printable, type Terminal } from "../terminal.ts"
import { formatAnswer } from "./format-answer.ts"
import { stepWords } from "./step-words.ts"
import type { ServerTools } from "./tools.ts"

interface Question {
  readonly question: string
  readonly history?: readonly Turn[]
  readonly signal: AbortSignal
}

/** Asks the server, and shows its steps while they last. */
export async function askServer(tools: ServerTools, { question, history = [], signal }: Question, terminal: Terminal) {
  const status = terminal.status()
  status.show("Asking …")
  try {
    return await tools.ask(question, { history, signal, onProgress: (message) => status.show(stepWords(message)) })
  } finally {
    status.end()
  }
}

export function printAnswer(answer: AnswerResponse, terminal: Terminal): void {
  for (const line of formatAnswer(answer, terminal)) terminal.line(line)
  printDegraded(answer, terminal)
}

/** What the server had to do without. Its warnings are of options, and this client sends none. */
export function printDegraded({ degraded = [] }: Pick<AnswerResponse, "degraded">, terminal: Terminal): void {
  for (const note of degraded) terminal.note(`Note: ${printable(note)}`)
}
