interface MarkedTextProps {
  readonly text: string
  /** UTF-16 offsets, in order, not overlapping. */
  readonly marks?: readonly { readonly start: number; readonly end: number }[] | undefined
}

/** Text as text, whatever is in it, with some of its words marked. */
export function MarkedText({ text, marks = [] }: MarkedTextProps) {
  const parts = marks.flatMap(({ start, end }, index) => [
    text.slice(marks[index - 1]?.end ?? 0, start),
    <mark key={start}>{text.slice(start, end)}</mark>,
  ])
  return (
    <>
      {parts}
      {text.slice(marks.at(-1)?.end ?? 0)}
    </>
  )
}
