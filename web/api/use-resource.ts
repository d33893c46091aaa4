import { useCallback, useEffect, useRef, useState } from "preact/hooks"
import { type ApiFailure, asFailure, isAborted } from "./api-failure.ts"
import { keysGiven, tenant } from "./session.ts"

/** Something of the API on its way to the page. `value` stays while it is loaded anew. */
export interface Resource<T> {
  readonly state: "loading" | "ready" | "failed"
  readonly value: T | undefined
  readonly failure: ApiFailure | undefined
  readonly reload: () => void
}

/**
 * Loads whenever an input changes, a key is given or `reload` is called; a newer load aborts the one before. `load` is called
 * with the inputs of its time, and not at all while they are null.
 */
export function useResource<Inputs extends readonly unknown[], T>(
  inputs: Inputs | null,
  load: (signal: AbortSignal, ...inputs: Inputs) => Promise<T>,
): Resource<T> {
  const [resource, setResource] = useState<Omit<Resource<T>, "reload">>({
    state: "loading",
    value: undefined,
    failure: undefined,
  })
  const [asked, setAsked] = useState(0)
  const latest = useRef({ inputs, load })
  latest.current = { inputs, load }
  const identity = JSON.stringify([inputs, keysGiven.value, tenant.value, asked])

  // `identity` is what the inputs amount to.
  useEffect(() => {
    const { inputs, load } = latest.current
    if (inputs === null) return
    const gone = new AbortController()
    setResource(({ value }) => ({ state: "loading", value, failure: undefined }))
    load(gone.signal, ...inputs).then(
      (value) => {
        if (!gone.signal.aborted) setResource({ state: "ready", value, failure: undefined })
      },
      (error: unknown) => {
        if (gone.signal.aborted || isAborted(error)) return
        const failure = asFailure(error)
        setResource(({ value }) => ({ state: "failed", value, failure }))
      },
    )
    return () => gone.abort()
  }, [identity])

  const reload = useCallback(() => setAsked((count) => count + 1), [])
  return { ...resource, reload }
}
