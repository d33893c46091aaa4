import { useEffect, useMemo, useRef, useState } from "preact/hooks"
import type { AnswerCitation } from "../../lib/answers/response.ts"
import { CitationChip } from "../parts/citation-chip.tsx"
import { MarkedText } from "../parts/marked-text.tsx"
import { citedPath } from "../parts/paths.ts"
import { Picture } from "../parts/picture.tsx"
import { nameOf } from "./answer-text.tsx"
import { excerptOf, quotesIn } from "./excerpt.ts"
import type { Sources } from "./use-sources.ts"

interface SourceCardProps {
  readonly citation: AnswerCitation
  readonly number: number
  /** Sentences of the answer that stand on it: marked where it has them word for word. */
  readonly quotes: readonly string[]
  readonly sources: Sources
}

/** A passage that is cited: title and page, and, once it is opened, its picture, its text and the way to its page. */
export function SourceCard({ citation, number, quotes, sources }: SourceCardProps) {
  const isShown = sources.shown === number
  const isPinned = isShown && sources.isPinned
  const card = usePinned(isPinned, sources)
  const id = sources.idOf(number)
  return (
    <article
      ref={card}
      id={id}
      class="source"
      tabIndex={-1}
      data-shown={isShown}
      data-pinned={isPinned}
      aria-labelledby={`${id}-title`}
    >
      <h4 id={`${id}-title`}>
        <button type="button" class="source-title" aria-expanded={isShown} onClick={() => sources.toggle(number)}>
          <span class="source-number">{number}</span>
          <span>
            <span class="source-name" dir="auto">
              {citation.title || citation.id}
            </span>
            {citation.page !== undefined && <small>Page {citation.page}</small>}
          </span>
        </button>
      </h4>
      {isShown && <Passage citation={citation} quotes={quotes} />}
      {isPinned && (
        <button type="button" class="button-quiet source-back" onClick={sources.back}>
          Back to the answer
        </button>
      )}
    </article>
  )
}

/** Goes to a card once it is pinned; Escape goes back, and leaving it lets it go. */
function usePinned(isPinned: boolean, { back, release }: Sources) {
  const card = useRef<HTMLElement>(null)
  useEffect(() => {
    const element = card.current
    if (!isPinned || !element) return
    element.focus()
    const leave = ({ relatedTarget }: FocusEvent) => {
      if (document.hasFocus() && !element.contains(relatedTarget as Node | null)) release()
    }
    const onKey = (event: KeyboardEvent) => {
      if (event.key === "Escape") back()
    }
    element.addEventListener("focusout", leave)
    element.addEventListener("keydown", onKey)
    return () => {
      element.removeEventListener("focusout", leave)
      element.removeEventListener("keydown", onKey)
    }
  }, [isPinned, back, release])
  return card
}

function Passage({ citation, quotes }: Pick<SourceCardProps, "citation" | "quotes">) {
  const [isWhole, setWhole] = useState(false)
  const marks = useMemo(() => quotesIn(citation.content, quotes), [citation, quotes])
  const excerpt = useMemo(() => excerptOf(citation.content, marks), [citation, marks])
  const path = citedPath(citation.citation)
  const quotedAt = (marks[0]?.start ?? 0) / Math.max(1, citation.content.length)
  return (
    <div class="source-body" style={{ "--quoted-at": `${Math.round(quotedAt * 100)}%` }}>
      {citation.crop_url !== undefined && (
        <Picture class="source-crop" path={citation.crop_url} alt={`The passage as printed: ${nameOf(citation)}`} />
      )}
      <p class="passage">
        {isWhole ? (
          <MarkedText text={citation.content} marks={marks} />
        ) : (
          <MarkedText text={excerpt.text} marks={excerpt.marks} />
        )}
      </p>
      {!excerpt.isWhole && (
        <button
          type="button"
          class="button-quiet source-more"
          aria-expanded={isWhole}
          onClick={() => setWhole(!isWhole)}
        >
          {isWhole ? "Less of the passage" : "The whole passage"}
        </button>
      )}
      <p class="source-ways">
        {path !== null && (
          <a href={path}>
            {citation.page === undefined ? "Read it in the document" : `Read it on page ${citation.page}`}
          </a>
        )}
        <CitationChip citation={citation.citation} />
      </p>
    </div>
  )
}
