import { useEffect, useRef, useState } from "preact/hooks"
import type { SearchRequest } from "../../lib/search/request.ts"
import type { SearchResponse } from "../../lib/search/response.ts"
import { type ApiFailure, isAborted } from "../api/api-failure.ts"
import { keysGiven, tenant } from "../api/session.ts"
import { useResource } from "../api/use-resource.ts"
import { askSearch } from "./ask-search.ts"

/** A search on its way to the page. */
export interface Searching {
  readonly state: "loading" | "ready" | "failed"
  /** Pages of this very search; while it loads, none, or those of the same question before its filters changed. */
  readonly pages: readonly SearchResponse[]
  readonly failure: ApiFailure | undefined
  readonly reload: () => void
  /** Loads the next page, where there is one. */
  readonly more: () => void
  readonly moreState: "idle" | "loading" | "failed"
}

interface Pages {
  /** All that the answer depends on. */
  readonly identity: string
  /** The question, and who asked it. */
  readonly question: string
  readonly pages: readonly SearchResponse[]
}

/** What was shown last: coming back from a passage, the same list stands there at once, and is then asked for anew. */
let lastShown: Pages | null = null

/** Runs the search whenever it changes; an answer to an earlier one is never shown. */
export function useSearch(body: Partial<SearchRequest>): Searching {
  const who = [tenant.value, keysGiven.value]
  const identity = JSON.stringify([body, who])
  const question = JSON.stringify([body.query, who])
  const first = useResource([body, identity, question] as const, async (signal, asked, identity, question) => ({
    identity,
    question,
    pages: [await askSearch(asked, signal)],
  }))
  const [tail, setTail] = useState<Pages | null>(lastShown)
  const shown = pagesOf(identity, question, first.value ?? lastShown, tail)
  const next = useNextPage(body, shown?.identity === identity ? shown.pages : [], (pages) =>
    setTail({ identity, question, pages }),
  )
  useEffect(() => {
    if (shown?.identity === identity) lastShown = shown
  }, [shown, identity])
  const isFailed = first.state === "failed"
  return {
    state: isFailed ? "failed" : shown?.identity === identity ? "ready" : "loading",
    pages: isFailed ? [] : (shown?.pages ?? []),
    failure: first.failure,
    reload: first.reload,
    ...next,
  }
}

/** What may stand on the page: this search with the pages that followed it, else another of the same question. */
function pagesOf(identity: string, question: string, first: Pages | null, tail: Pages | null) {
  if (tail?.identity === identity && (first?.identity !== identity || isSame(first, tail))) return tail
  if (first?.identity === identity || first?.question === question) return first
  return null
}

/** Whether two answers begin with the same results: what followed the one then follows the other. */
function isSame(a: Pages, b: Pages): boolean {
  const ids = ({ pages }: Pages) => pages[0]?.results.map(({ citation }) => citation).join("\n")
  return ids(a) === ids(b)
}

function useNextPage(
  body: Partial<SearchRequest>,
  pages: readonly SearchResponse[],
  show: (pages: readonly SearchResponse[]) => void,
) {
  const [state, setState] = useState<Searching["moreState"]>("idle")
  const running = useRef<AbortController | null>(null)
  const identity = JSON.stringify(body)
  useEffect(() => {
    setState("idle")
    return () => running.current?.abort()
  }, [identity])
  const cursor = pages.at(-1)?.next_cursor
  const more = () => {
    if (cursor === undefined || state === "loading") return
    const gone = new AbortController()
    running.current = gone
    setState("loading")
    askSearch({ ...body, cursor }, gone.signal).then(
      (page) => {
        if (gone.signal.aborted) return
        show([...pages, page])
        setState("idle")
      },
      (error: unknown) => {
        if (!gone.signal.aborted && !isAborted(error)) setState("failed")
      },
    )
  }
  return { more, moreState: state }
}
