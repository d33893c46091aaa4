import "./search.css"
import "./filters.css"
import "./results.css"
import "./landing.css"
import "./compare.css"
import { useCallback, useEffect, useRef, useState } from "preact/hooks"
import { useLocation } from "preact-iso"
import { useTitle } from "../parts/use-title.ts"
import { KeyHelp } from "./key-help.tsx"
import { Beginnings, isProven, Welcome } from "./landing.tsx"
import { goToFirst } from "./move-in-list.ts"
import { addressOf, readAddress, type SearchAddress } from "./search-address.ts"
import { SearchBox } from "./search-box.tsx"
import { SearchPage } from "./search-page.tsx"
import { isShortcut } from "./single-keys.ts"
import { useDocuments } from "./use-documents.ts"

/** The search: a box, and either what to begin with or what was found. The address holds all of its state. */
export function SearchView() {
  const { url, route } = useLocation()
  const address = readAddress(url)
  const isAsked = address.question !== ""
  const [isHelpOpen, setHelpOpen] = useState(false)
  const [isAnswered, setAnswered] = useState(false)
  const library = useDocuments(!isAsked || isAnswered)
  const box = useRef<HTMLInputElement>(null)
  const results = useRef<HTMLElement>(null)
  useTitle(isAsked ? `${address.question} · Search` : "Search")
  useViewKeys(box, () => setHelpOpen(true))
  useEffect(() => {
    if (!isAsked) box.current?.focus()
  }, [isAsked])

  const change = useCallback((next: SearchAddress) => route(addressOf(next)), [route])
  const ask = (question: string) => {
    scrollTo(0, 0)
    change({ ...address, question })
  }
  const toBox = () => box.current?.focus()
  return (
    <div
      class={isAsked ? "search" : "search search-landing"}
      data-proof={!isAsked && isProven(library.value) ? "" : undefined}
    >
      {isAsked ? <h1 class="visually-hidden">Search results</h1> : <Welcome />}
      <SearchBox
        box={box}
        question={address.question}
        ask={ask}
        goDown={() => goToFirst(results.current)}
        isLarge={!isAsked}
      />
      {isAsked ? (
        <SearchPage
          area={results}
          address={address}
          change={change}
          library={library}
          toBox={toBox}
          openHelp={() => setHelpOpen(true)}
          onAnswered={() => setAnswered(true)}
        />
      ) : (
        <Beginnings library={library} />
      )}
      <KeyHelp isOpen={isHelpOpen} close={() => setHelpOpen(false)} />
    </div>
  )
}

/** `/` goes to the box and `?` opens the help, wherever in the view one is. */
function useViewKeys(box: { readonly current: HTMLInputElement | null }, openHelp: () => void): void {
  const latest = useRef(openHelp)
  latest.current = openHelp
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (!isShortcut(event) || (event.key !== "/" && event.key !== "?")) return
      event.preventDefault()
      if (event.key === "?") latest.current()
      else {
        box.current?.focus()
        box.current?.select()
      }
    }
    addEventListener("keydown", listen)
    return () => removeEventListener("keydown", listen)
  }, [box])
}
