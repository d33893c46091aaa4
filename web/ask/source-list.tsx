import { useEffect, useRef } from "preact/hooks"
import type { AnswerCitation, AnswerResponse } from "../../lib/answers/response.ts"
import { countOf } from "../parts/format.ts"
import { SourceCard } from "./source-card.tsx"
import type { Sources } from "./use-sources.ts"

interface SourceListProps {
  readonly citations: readonly AnswerCitation[]
  /** Null while it is written. */
  readonly answer: AnswerResponse | null
  readonly sources: Sources
}

/** The passages that an answer cites, in its order: beside it, or below it on a narrow page. */
export function SourceList({ citations, answer, sources }: SourceListProps) {
  const list = useRef<HTMLElement>(null)
  const { shown, idOf } = sources
  // Its own scrolling only: the page stays where it is while marks are pointed at.
  useEffect(() => {
    const card = shown === null ? null : document.getElementById(idOf(shown))
    if (!list.current || !card || list.current.scrollHeight <= list.current.clientHeight) return
    list.current.scrollTo({ top: card.offsetTop - list.current.offsetTop })
  }, [shown, idOf])
  return (
    <section ref={list} class="sources" aria-label={`Sources: ${countOf(citations.length, "passage")}`}>
      <h3>{citations.length === 1 ? "Source" : "Sources"}</h3>
      <ol>
        {citations.map((citation, index) => (
          <li key={citation.citation}>
            <SourceCard citation={citation} number={index + 1} quotes={quotesOf(answer, citation)} sources={sources} />
          </li>
        ))}
      </ol>
    </section>
  )
}

/** The sentences that stand on a passage. */
function quotesOf(answer: AnswerResponse | null, { citation }: AnswerCitation): readonly string[] {
  return (answer?.sentences ?? []).filter(({ citations }) => citations.includes(citation)).map(({ text }) => text)
}
