import { useEffect, useState } from "preact/hooks"
import { Failure } from "../parts/states.tsx"
import type { AnswerView } from "./answer-view.ts"
import { askAgain, type LiveTurn } from "./conversation.ts"
import { whenAgain } from "./when-again.ts"

interface BrokenTurnProps {
  readonly turn: LiveTurn
  readonly view: AnswerView
}

/** Below a turn that was stopped or went wrong: what was written stays, unchecked, and it can be asked again. */
export function BrokenTurn({ turn, view: { failure, draft } }: BrokenTurnProps) {
  const again = () => askAgain(turn)
  return (
    <div class="broken-turn">
      {draft !== "" && <p class="broken-said">Written so far, and not checked against its passages.</p>}
      {failure ? (
        <>
          <Failure failure={failure} retry={again} />
          {failure.retryAfterS !== null && <WhenAgain seconds={failure.retryAfterS} />}
        </>
      ) : (
        <p class="broken-stopped">
          Stopped.{" "}
          <button type="button" class="button" onClick={again}>
            Ask it again
          </button>
        </p>
      )}
    </div>
  )
}

/** When it may be asked again, and that it may once the time has come. */
function WhenAgain({ seconds }: { readonly seconds: number }) {
  const [from] = useState(() => new Date())
  const [isOver, setOver] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setOver(true), seconds * 1_000)
    return () => clearTimeout(timer)
  }, [seconds])
  return (
    <p class="broken-when" role="status">
      It can be asked again {isOver ? "now" : whenAgain(seconds, from)}.
    </p>
  )
}
