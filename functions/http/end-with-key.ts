/** How often it is asked whether a key still opens, ms. The answer may be 30 s old (`createAuthenticator`): 40 s together. */
export const KEY_LOOK_MS = 10_000

/** The same stream, which ends when its request's key opens nothing any more. */
export type EndWithKey = (body: ReadableStream<Uint8Array>) => ReadableStream<Uint8Array>

interface EndOptions {
  /** Whether the key would let a request in now; rejects where that can't be told. */
  isKeyGood(): Promise<boolean>
  readonly lookMs: number
}

/**
 * A stream that stays open for as long as its client likes, but no longer than its key is good: it ends within 40 s after that was
 * revoked, 10 s after it expired, as it would if the client had left. A database that is gone ends nothing.
 */
export function endWithKey(
  body: ReadableStream<Uint8Array>,
  { isKeyGood, lookMs }: EndOptions,
): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  let isOver = false
  let looking: NodeJS.Timeout
  const over = () => {
    isOver = true
    clearInterval(looking)
  }
  return new ReadableStream<Uint8Array>({
    start(controller) {
      const look = async () => {
        if ((await isKeyGood().catch(() => true)) || isOver) return
        over()
        controller.close()
        await reader.cancel().catch(() => undefined)
      }
      looking = setInterval(() => void look(), lookMs)
      looking.unref()
    },
    async pull(controller) {
      try {
        const { done, value } = await reader.read()
        if (isOver) return
        if (!done) return controller.enqueue(value)
        over()
        controller.close()
      } catch (error) {
        if (isOver) return
        over()
        controller.error(error)
      }
    },
    async cancel(reason) {
      over()
      await reader.cancel(reason)
    },
  })
}
