import { useEffect, useState } from "preact/hooks"
import { useLocation } from "preact-iso"
import { type Choice, choiceFrom, searchOf } from "./choose-documents.ts"

/** What the address says of the list. Choosing changes the address in place: each letter is no step to go back to. */
export function useChoice(): readonly [Choice, (choice: Choice) => void] {
  const { url } = useLocation()
  const [choice, setChoice] = useState(() => choiceFrom(location.search))
  useEffect(() => setChoice(choiceFrom(location.search)), [url])
  const choose = (next: Choice) => {
    setChoice(next)
    history.replaceState(null, "", `${location.pathname}${searchOf(next)}`)
  }
  return [choice, choose]
}
