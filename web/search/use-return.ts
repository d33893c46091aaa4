import { useEffect } from "preact/hooks"
import type { SearchHit } from "../../lib/search/response.ts"
import { RESULT_LINK } from "./move-in-list.ts"

/** Citation of the result that was opened last. */
let lastOpened = ""

/** Where back or forward led last. */
let returnedTo = ""
addEventListener("popstate", () => {
  returnedTo = location.href
})

/** Notes which result a click in their list opens. */
export function rememberOpened({ target }: Event, hits: readonly SearchHit[]): void {
  if (!(target instanceof Element) || !target.closest("a")) return
  const result = target.closest<HTMLElement>("li[data-place]")
  if (result) lastOpened = hits[Number(result.dataset["place"]) - 1]?.citation ?? ""
}

/** Who comes back from a result stands at it again. */
export function useReturn(list: { readonly current: HTMLElement | null }, hits: readonly SearchHit[]): void {
  useEffect(() => {
    const index = returnedTo === location.href ? hits.findIndex(({ citation }) => citation === lastOpened) : -1
    lastOpened = ""
    returnedTo = ""
    list.current?.querySelectorAll<HTMLElement>(`[${RESULT_LINK}]`)[index]?.focus({ preventScroll: true })
  }, [])
}
