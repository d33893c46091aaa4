import { useId, useLayoutEffect, useRef, useState } from "preact/hooks"

/** Longest question that the API takes, in characters. */
const CHARS_MAX = 8_000
/** From so many characters before it on, what is left is said. */
const LEFT_SAID = 500

interface QuestionFormProps {
  readonly label: string
  readonly action: string
  readonly hint?: string
  readonly onAsk: (question: string) => void
  /** Nothing more can be asked yet; what is typed stays. */
  readonly isBusy?: boolean
  /** The cursor stands in it from the start, where there is a keyboard. */
  readonly takesCursor?: boolean
}

/** A question: Enter asks, Shift and Enter begin a new line. */
export function QuestionForm({ label, action, hint, onAsk, isBusy = false, takesCursor = false }: QuestionFormProps) {
  const [question, setQuestion] = useState("")
  const field = useRef<HTMLTextAreaElement>(null)
  const id = useId()
  // As high as what is in it; on a phone the keyboard would cover the page before anybody asked for it.
  useLayoutEffect(() => {
    if (!field.current) return
    field.current.style.height = "auto"
    field.current.style.height = `${field.current.scrollHeight + 2}px`
  }, [question])
  useLayoutEffect(() => {
    if (takesCursor && matchMedia("(pointer: fine)").matches) field.current?.focus({ preventScroll: true })
  }, [])
  const send = () => {
    const asked = question.trim()
    if (isBusy || asked === "") return field.current?.focus()
    setQuestion("")
    onAsk(asked)
  }
  const left = CHARS_MAX - question.length
  return (
    <form
      class="question-form"
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <label for={id}>{label}</label>
      <div class="question-box">
        <textarea
          ref={field}
          id={id}
          rows={1}
          dir="auto"
          maxLength={CHARS_MAX}
          enterkeyhint="send"
          value={question}
          aria-describedby={`${id}-hint`}
          onInput={(event) => setQuestion(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || event.shiftKey || event.isComposing) return
            event.preventDefault()
            send()
          }}
        />
        <button type="submit" class="button button-primary" aria-disabled={isBusy}>
          {action}
        </button>
      </div>
      <p id={`${id}-hint`} class="question-hint">
        {isBusy ? "The answer before it is still being written." : hint}
        {left <= LEFT_SAID && ` ${left} characters left.`}
      </p>
    </form>
  )
}
