import type { ComponentChildren } from "preact"
import { useEffect, useMemo, useRef } from "preact/hooks"
import { answerBlocks, draftBlocks } from "./answer-blocks.ts"
import { AnswerText } from "./answer-text.tsx"
import type { AnswerView } from "./answer-view.ts"
import { BrokenTurn } from "./broken-turn.tsx"
import { type LiveTurn, stop } from "./conversation.ts"
import { Refusal } from "./refusal.tsx"
import { SourceList } from "./source-list.tsx"
import { Steps } from "./steps.tsx"
import { useSources } from "./use-sources.ts"
import { Verdict } from "./verdict.tsx"

interface TurnViewProps {
  readonly turn: LiveTurn
  /** Just asked below an answer: it comes into view, and the cursor stays where the next one is typed. */
  readonly isFollowUp: boolean
  /** Where the next question is asked, below the last one. */
  readonly children?: ComponentChildren
}

/** A question and its answer, as far as it is, with the passages that it stands on. */
export function TurnView({ turn, isFollowUp, children }: TurnViewProps) {
  const view = turn.view.value
  const heading = useHeading(view, isFollowUp)
  const sources = useSources(`turn-${turn.id}`)
  const { answer, draft, phase } = view
  const citations = answer?.citations ?? view.cited
  const blocks = useMemo(() => (answer ? answerBlocks(answer) : draftBlocks(draft)), [answer, draft])
  const titleId = `turn-${turn.id}-question`
  return (
    <article class="turn" aria-labelledby={titleId}>
      <h2 id={titleId} ref={heading} tabIndex={-1} class="turn-question" dir="auto">
        {turn.question}
      </h2>
      <div class="turn-body">
        <div class="turn-answer">
          <Steps view={view} stop={() => stop(turn)} />
          {answer?.refused ? (
            <Refusal answer={answer} question={turn.question} />
          ) : (
            <AnswerText blocks={blocks} citations={citations} sources={sources} isWriting={phase === "asking"} />
          )}
          {answer && !answer.refused && <Verdict answer={answer} question={turn.question} />}
          {(phase === "stopped" || phase === "failed") && <BrokenTurn turn={turn} view={view} />}
        </div>
        {citations.length > 0 && <SourceList citations={citations} answer={answer} sources={sources} />}
        {children}
      </div>
    </article>
  )
}

/** Takes whoever asked to the question: its answer comes below. */
function useHeading({ phase }: AnswerView, isFollowUp: boolean) {
  const heading = useRef<HTMLHeadingElement>(null)
  const asked = useRef(phase === "asking")
  useEffect(() => {
    if (!asked.current || !heading.current) return
    const isTouch = matchMedia("(pointer: coarse)").matches
    // On a phone the keyboard would go on covering the answer.
    if (!isFollowUp || isTouch) heading.current.focus({ preventScroll: true })
    if (isFollowUp) heading.current.scrollIntoView({ block: "start" })
  }, [isFollowUp])
  // With the Stop button goes the focus that it had.
  useEffect(() => {
    if (phase !== "asking" && asked.current && document.activeElement === document.body)
      heading.current?.focus({ preventScroll: true })
  }, [phase])
  return heading
}
