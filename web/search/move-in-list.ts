/** Marks what the keys j, k and the arrows go through: the link of each result. */
export const RESULT_LINK = "data-result"

/** Goes to the result that a key leads to, from the one that holds the focus; `back` takes who goes up beyond the first. */
export function moveInList(list: HTMLElement, event: KeyboardEvent, back: () => void): void {
  const step = stepOf(event)
  if (step === 0) return
  const links = [...list.querySelectorAll<HTMLElement>(`[${RESULT_LINK}]`)]
  const within = (event.target as Element).closest("li[data-place]")
  const at = links.findIndex((link) => within?.contains(link))
  event.preventDefault()
  if (at + step < 0) back()
  else showAndFocus(links[Math.min(links.length - 1, at + step)])
}

/** Goes to the first result of a list; false where there is none. */
export function goToFirst(list: HTMLElement | null): boolean {
  const link = list?.querySelector<HTMLElement>(`[${RESULT_LINK}]`)
  showAndFocus(link)
  return Boolean(link)
}

function stepOf({ key, target }: KeyboardEvent): number {
  if (key === "j") return 1
  if (key === "k") return -1
  // Elsewhere in a result the arrows scroll.
  const isOnLink = target instanceof Element && target.hasAttribute(RESULT_LINK)
  return isOnLink && key === "ArrowDown" ? 1 : isOnLink && key === "ArrowUp" ? -1 : 0
}

function showAndFocus(link: HTMLElement | null | undefined): void {
  link?.focus({ preventScroll: true })
  link?.closest("li")?.scrollIntoView({ block: "nearest" })
}
