/** A call that is under way, whose caller may cancel it by another request. */
export interface RunningCall {
  readonly principalId: string
  /** The client's, as `initialize` gave it out. */
  readonly session: string
  /** JSON-RPC's id of the call, which is the client's alone. */
  readonly id: string | number
}

/** Calls that this process is working on, and nothing else: no session is kept. */
export interface RunningCalls {
  /** Notes one down, until the function that it returns is called. */
  start(call: RunningCall, stop: AbortController): () => void
  /** False where no such call is under way here. */
  cancel(call: RunningCall): boolean
  readonly size: number
}

export function createRunningCalls(): RunningCalls {
  const running = new Map<string, AbortController>()
  const keyOf = ({ principalId, session, id }: RunningCall) => JSON.stringify([principalId, session, id])
  return {
    start(call, stop) {
      const key = keyOf(call)
      running.set(key, stop)
      return () => {
        if (running.get(key) === stop) running.delete(key)
      }
    },
    cancel(call) {
      const stop = running.get(keyOf(call))
      stop?.abort(new DOMException("The client cancelled the call", "AbortError"))
      return stop !== undefined
    },
    get size() {
      return running.size
    },
  }
}
