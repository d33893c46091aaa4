import type { ComponentChildren } from "preact"

interface BusyButtonProps {
  /** What it began goes on. */
  readonly isBusy: boolean
  readonly onClick: () => unknown
  readonly class: string
  /** Its name, where it isn't what stands in it. */
  readonly label?: string
  readonly children: ComponentChildren
}

/** A button that keeps the focus while what it began goes on, as one that is disabled would not. Presses meanwhile do nothing. */
export function BusyButton({ isBusy, onClick, class: style, label, children }: BusyButtonProps) {
  return (
    <button
      type="button"
      class={style}
      aria-label={label}
      aria-disabled={isBusy}
      onClick={() => {
        if (!isBusy) onClick()
      }}
    >
      {children}
    </button>
  )
}
