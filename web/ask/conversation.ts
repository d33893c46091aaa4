import { batch, effect, type Signal, signal } from "@preact/signals"
import { asFailure, isAborted } from "../api/api-failure.ts"
import { request } from "../api/call.ts"
import { keysGiven, tenant } from "../api/session.ts"
import { type AnswerView, ASKED, type ViewEvent, viewAfter } from "./answer-view.ts"
import { messagesOf } from "./messages-of.ts"
import { readAnswer } from "./read-answer.ts"

/** A question with what is seen of its answer. */
export interface LiveTurn {
  readonly id: number
  readonly question: string
  readonly view: Signal<AnswerView>
}

/** Conversations that are kept for whoever goes back to them; each holds the passages that it cites, some 100 KB. */
const KEPT_MAX = 8

/** The conversation on the page; it outlives the view, so that who follows a citation comes back to it. */
export const turns = signal<readonly LiveTurn[]>([])
/** Of those before, by their first question. */
const kept = new Map<string, readonly LiveTurn[]>()
const running = new Map<number, AbortController>()
let lastId = 0

/** Shows the conversation that begins with a question, and asks it where there is none; "" shows none. */
export function openConversation(question: string): void {
  if ((turns.peek()[0]?.question ?? "") === question) return
  for (const turn of turns.peek()) stop(turn)
  const known = kept.get(question)
  turns.value = known ?? []
  if (!known && question !== "") ask(question)
}

/** Makes the next `openConversation` of this question ask it anew. */
export function forgetConversation(question: string): void {
  kept.delete(question)
  if (turns.peek()[0]?.question === question) {
    for (const turn of turns.peek()) stop(turn)
    turns.value = []
  }
}

/** Asks: the first question of a conversation, or one that follows what is there. */
export function ask(question: string): void {
  const turn = { id: ++lastId, question, view: signal(ASKED) }
  const earlier = turns.peek()
  keep([...earlier, turn])
  void run(turn, earlier)
}

/** Asks a turn's question again in its place. */
export function askAgain(turn: LiveTurn): void {
  stop(turn)
  turn.view.value = ASKED
  const all = turns.peek()
  void run(turn, all.slice(0, all.indexOf(turn)))
}

/** Ends a turn that is being answered; the server ends the model's calls. */
export function stop(turn: LiveTurn): void {
  running.get(turn.id)?.abort()
  running.delete(turn.id)
  show(turn, { type: "stopped" })
}

function keep(conversation: readonly LiveTurn[]): void {
  turns.value = conversation
  const first = conversation[0]?.question ?? ""
  kept.delete(first)
  kept.set(first, conversation)
  for (const question of kept.keys()) if (kept.size > KEPT_MAX) kept.delete(question)
}

/** Never rejects: what goes wrong is shown. */
async function run(turn: LiveTurn, earlier: readonly LiveTurn[]): Promise<void> {
  const gone = new AbortController()
  running.set(turn.id, gone)
  const seen = earlier.map(({ question, view }) => ({ question, view: view.peek() }))
  const messages = messagesOf(seen, turn.question)
  const body = messages.length > 1 ? { messages, explain: true } : { question: turn.question, explain: true }
  const accept = "text/event-stream, application/json;q=0.5"
  try {
    const response = await request("/answer", { body, accept, signal: gone.signal })
    await readAnswer(response, (event) => {
      if (!gone.signal.aborted) show(turn, event)
    })
  } catch (error) {
    if (isAborted(error) || gone.signal.aborted) return
    show(turn, { type: "failed", failure: asFailure(error) })
  } finally {
    if (running.get(turn.id) === gone) running.delete(turn.id)
  }
}

function show(turn: LiveTurn, event: ViewEvent): void {
  turn.view.value = viewAfter(turn.view.peek(), event)
}

let asWhom = tenant.peek()
// A new key asks again what failed for want of one. What another tenant's documents said doesn't stay.
effect(() => {
  const whose = tenant.value
  if (keysGiven.value === 0) return
  const last = turns.peek().at(-1)
  batch(() => {
    if (whose !== asWhom) {
      for (const turn of turns.peek()) stop(turn)
      kept.clear()
      const first = turns.peek()[0]
      turns.value = []
      if (first) ask(first.question)
    } else if (last?.view.peek().failure?.code === "unauthorized") askAgain(last)
  })
  asWhom = whose
})
