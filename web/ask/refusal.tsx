import type { AnswerResponse } from "../../lib/answers/response.ts"
import { Notes } from "../parts/states.tsx"
import { verdictNotes } from "./verdict-words.ts"

interface RefusalProps {
  readonly answer: AnswerResponse
  readonly question: string
}

/** No answer rather than a wrong one: says so, and what may help. */
export function Refusal({ answer, question }: RefusalProps) {
  const notes = verdictNotes(answer)
  return (
    <section class="refusal">
      <p class="refusal-said" dir="auto">
        {answer.answer}
      </p>
      <p>No answer is better than a wrong one. What may help:</p>
      <ul>
        <li>
          <a href={`/?q=${encodeURIComponent(question)}`}>Look at the nearest passages</a>: they may say something close
          to it.
        </li>
        <li>Ask in other words, with the names, places or years that a document would use.</li>
        <li>
          <a href="/library">See what the collection holds</a>: the document may not be in it yet.
        </li>
      </ul>
      {notes.length > 0 && (
        <>
          <p>It may also be for another reason:</p>
          <Notes notes={notes} />
        </>
      )}
    </section>
  )
}
