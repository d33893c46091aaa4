import { effect, signal } from "@preact/signals"
import { keep, readKept } from "../api/kept.ts"

const KEPT = "concordance-single-keys"

/** Whether single letters are shortcuts; who speaks to the computer, or strikes keys by mistake, turns them off (WCAG 2.1.4). */
export const singleKeys = signal(readKept("localStorage", KEPT) !== "off")

effect(() => keep("localStorage", KEPT, singleKeys.value ? "on" : "off"))

/** Whether a key is struck as a shortcut: alone, and not where somebody writes or a dialog is open. */
export function isShortcut(event: KeyboardEvent): boolean {
  const { target } = event
  if (!singleKeys.peek() || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return false
  if (document.querySelector("dialog[open]")) return false
  return !(target instanceof Element && target.closest("input, textarea, select, [contenteditable]"))
}
