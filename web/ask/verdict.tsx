import { useState } from "preact/hooks"
import type { AnswerResponse } from "../../lib/answers/response.ts"
import { Notes } from "../parts/states.tsx"
import { supportWords, verdictNotes } from "./verdict-words.ts"

const CHIPS = { good: "chip-good", warn: "chip-warn", bad: "chip-bad", plain: "" } as const

interface VerdictProps {
  readonly answer: AnswerResponse
  readonly question: string
}

/** How far an answer may be trusted: what its passages bear out, who wrote it, and what it had to do without. */
export function Verdict({ answer, question }: VerdictProps) {
  const { tone, words } = supportWords(answer)
  return (
    <footer class="verdict">
      <p class="verdict-line">
        <span class={`chip ${CHIPS[tone]}`}>{words}</span>
        {answer.useful === false && <span class="chip chip-warn">May not answer the question</span>}
        <span class="verdict-author">
          {answer.generator === "extractive"
            ? "From the documents, no language model"
            : `Written by ${answer.generator}`}
        </span>
      </p>
      <Notes notes={verdictNotes(answer)} />
      <p class="verdict-ways">
        <CopyAnswer answer={answer.answer} />
        <a href={`/?q=${encodeURIComponent(question)}`}>Search with the same words</a>
      </p>
    </footer>
  )
}

function CopyAnswer({ answer }: { readonly answer: string }) {
  const [said, setSaid] = useState("")
  const copy = () => {
    navigator.clipboard.writeText(answer).then(
      () => setSaid("Copied, with its citations"),
      () => setSaid("Not copied: select it by hand"),
    )
  }
  return (
    <>
      <button type="button" class="button-quiet" onClick={copy}>
        Copy the answer
      </button>
      <span class="verdict-said" role="status">
        {said}
      </span>
    </>
  )
}
