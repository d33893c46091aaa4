import { useCallback, useMemo, useRef, useState } from "preact/hooks"

/** Which of a turn's sources is looked at, and by what. */
export interface Sources {
  /** Number of the one that is open, from 1; null: none. */
  readonly shown: number | null
  /** It was opened from the answer's text: on a phone it lies over the page until it is closed. */
  readonly isPinned: boolean
  /** Opens one while its mark is pointed at, unless one is pinned. */
  readonly preview: (source: number) => void
  /** Opens one for good and goes to it. */
  readonly pin: (source: number, mark: HTMLElement) => void
  /** Opens or closes one in its list. */
  readonly toggle: (source: number) => void
  /** Goes back to the mark that pinned it. */
  readonly back: () => void
  /** Lets it go without going anywhere. */
  readonly release: () => void
  /** The id of a source's element. */
  readonly idOf: (source: number) => string
}

/** From so wide on, sources stand beside the answer (sources.css). */
const BESIDE = "(min-width: 62rem)"

/** The first source is open from the start where it stands beside the answer. */
export function useSources(prefix: string): Sources {
  const [{ shown, isPinned }, setState] = useState<Pick<Sources, "shown" | "isPinned">>(() => ({
    shown: matchMedia(BESIDE).matches ? 1 : null,
    isPinned: false,
  }))
  const from = useRef<HTMLElement | null>(null)
  const idOf = useCallback((source: number) => `${prefix}-source-${source}`, [prefix])
  const actions = useMemo(
    () => ({
      preview: (source: number) => setState((state) => (state.isPinned ? state : { shown: source, isPinned: false })),
      pin: (source: number, mark: HTMLElement) => {
        from.current = mark
        setState({ shown: source, isPinned: true })
      },
      toggle: (source: number) =>
        setState((state) => ({ shown: state.shown === source ? null : source, isPinned: false })),
      back: () => {
        setState((state) => ({ ...state, isPinned: false }))
        from.current?.focus()
      },
      release: () => setState((state) => (state.isPinned ? { ...state, isPinned: false } : state)),
    }),
    [],
  )
  return { shown, isPinned, idOf, ...actions }
}
