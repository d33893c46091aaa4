import "./ask.css"
import { useEffect } from "preact/hooks"
import { useLocation } from "preact-iso"
import { useTitle } from "../parts/use-title.ts"
import { Announcement } from "./announcement.tsx"
import { ask, forgetConversation, openConversation, turns } from "./conversation.ts"
import { Examples } from "./examples.tsx"
import { QuestionForm } from "./question-form.tsx"
import { TurnView } from "./turn-view.tsx"

/** Questions answered from the documents, one conversation at a time; the address holds its first question. */
export function AskView() {
  const { path, query, route } = useLocation()
  const first = (query["q"] ?? "").trim()
  useEffect(() => {
    if (path === "/ask") openConversation(first)
  }, [path, first])
  useTitle(first === "" ? "Ask" : first)
  const begin = (question: string) => {
    forgetConversation(question)
    route(`/ask?q=${encodeURIComponent(question)}`)
    openConversation(question)
  }
  return (
    <div class="ask">
      {first === "" ? <Beginning begin={begin} /> : <Conversation first={first} startAnew={() => route("/ask")} />}
      <Announcement />
    </div>
  )
}

function Beginning({ begin }: { readonly begin: (question: string) => void }) {
  return (
    <div class="ask-beginning">
      <h1>Ask the collection</h1>
      <p class="ask-lede">
        Ask in your own words. The answer stands on passages of the documents, and shows you each of them, so that you
        can read for yourself.
      </p>
      <QuestionForm label="Your question" action="Ask" onAsk={begin} takesCursor />
      <Examples begin={begin} />
    </div>
  )
}

interface ConversationProps {
  readonly first: string
  readonly startAnew: () => void
}

function Conversation({ first, startAnew }: ConversationProps) {
  // The one before, until the new one is opened.
  const all = turns.value[0]?.question === first ? turns.value : []
  const last = all.at(-1)
  // A failure leaves nothing to follow up.
  const isBegun = all.some(({ view }) => view.value.answer !== null || view.value.phase === "asking")
  return (
    <>
      <header class="ask-head">
        <h1>Ask the collection</h1>
        <button type="button" class="button" onClick={startAnew}>
          New conversation
        </button>
      </header>
      {all.map((turn) => (
        <TurnView key={turn.id} turn={turn} isFollowUp={turn !== all[0]}>
          {turn === last && (
            <div class="ask-follow">
              <QuestionForm
                label={isBegun ? "Ask a follow-up" : "Ask something else"}
                hint={isBegun ? "It is read with what was said before." : ""}
                action="Ask"
                onAsk={ask}
                isBusy={turn.view.value.phase === "asking"}
                takesCursor={turn !== all[0] && turn.view.peek().phase === "asking"}
              />
            </div>
          )}
        </TurnView>
      ))}
    </>
  )
}
