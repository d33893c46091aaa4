/** After a change of view: who uses a keyboard or a screen reader stands at its beginning. */
export function announceRoute(): void {
  const main = document.getElementById("main")
  if (location.hash === "") main?.focus({ preventScroll: true })
}
