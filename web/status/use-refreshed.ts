import { useEffect, useState } from "preact/hooks"
import type { ApiFailure } from "../api/api-failure.ts"
import { useResource } from "../api/use-resource.ts"

/** Time between two looks while the page is shown, ms. */
const EVERY_MS = 15_000

/** The last that was heard, and how old it is. */
export interface Refreshed<T> {
  /** Undefined until there was an answer; it stays when the next doesn't come. */
  readonly value: T | undefined
  /** When it was heard, ms since 1970. */
  readonly at: number | undefined
  readonly isLoading: boolean
  readonly failure: ApiFailure | undefined
  readonly refresh: () => void
}

/** Loads something, and again every 15 s while the page is shown. */
export function useRefreshed<T>(load: (signal: AbortSignal) => Promise<T>): Refreshed<T> {
  const { value, state, failure, reload } = useResource([] as const, async (signal) => {
    const heard = await load(signal)
    return { heard, at: Date.now() }
  })
  // What is on its way is left to come: a slow server isn't asked over and over.
  const isLoading = state === "loading"
  useEffect(() => {
    if (isLoading) return
    const timer = setInterval(() => {
      if (!document.hidden) reload()
    }, EVERY_MS)
    const back = () => {
      if (!document.hidden) reload()
    }
    document.addEventListener("visibilitychange", back)
    return () => {
      clearInterval(timer)
      document.removeEventListener("visibilitychange", back)
    }
  }, [isLoading, reload])
  return { value: value?.heard, at: value?.at, isLoading, failure, refresh: reload }
}

/** The time now, anew every few seconds, for ages that are shown. */
export function useNow(everyMs: number): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
  return now
}
