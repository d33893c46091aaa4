import type { RefObject } from "preact"
import { useEffect, useState } from "preact/hooks"

interface SearchBoxProps {
  readonly box: RefObject<HTMLInputElement | null>
  readonly question: string
  readonly ask: (question: string) => void
  /** Goes down into the results, where there are some. */
  readonly goDown: () => void
  readonly isLarge: boolean
}

/** Longest question that the API takes, characters. */
const QUESTION_CHARS_MAX = 8_000

/** The one box: Enter searches, Escape leaves, the arrow goes down to the results. */
export function SearchBox({ box, question, ask, goDown, isLarge }: SearchBoxProps) {
  const [draft, setDraft] = useState(question)
  useEffect(() => setDraft(question), [question])
  const keys = (event: KeyboardEvent) => {
    if (event.isComposing) return
    if (event.key === "Escape") {
      event.preventDefault()
      box.current?.blur()
    }
    if (event.key === "ArrowDown") {
      event.preventDefault()
      goDown()
    }
  }
  return (
    <search>
      <form
        class={isLarge ? "search-box search-box-large" : "search-box"}
        onSubmit={(event) => {
          event.preventDefault()
          ask((box.current?.value ?? draft).trim())
        }}
      >
        <label class="visually-hidden" for="question">
          Search the collection
        </label>
        <div class="search-box-row">
          <SearchSign />
          <input
            ref={box}
            id="question"
            type="search"
            enterkeyhint="search"
            value={draft}
            onInput={(event) => setDraft(event.currentTarget.value)}
            onKeyDown={keys}
            maxLength={QUESTION_CHARS_MAX}
            placeholder="Ask, or type a few words"
            aria-describedby="question-hints"
            autocomplete="off"
            autocapitalize="off"
            spellcheck={false}
          />
          <button type="submit" class="button button-primary">
            <SearchSign />
            <span>Search</span>
          </button>
        </div>
        <p class="search-hints" id="question-hints">
          <span>
            <code>"quote marks"</code> keep words together
          </span>
          <span>
            <code>-word</code> leaves it out
          </span>
          <span class="search-hint-key">
            <kbd>/</kbd> comes back here
          </span>
        </p>
      </form>
    </search>
  )
}

function SearchSign() {
  return (
    <svg class="search-sign" viewBox="0 0 20 20" width="20" height="20" aria-hidden="true">
      <path d="M12.6 12.6 17 17M8.5 14a5.5 5.5 0 1 1 0-11 5.5 5.5 0 0 1 0 11z" />
    </svg>
  )
}
