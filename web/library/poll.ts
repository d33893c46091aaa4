/** Resolves after so many ms, or once the page is shown again if it is hidden by then. Rejects when aborted. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener("abort", () => {
      clearTimeout(timer)
      reject(signal.reason)
    })
  })
  await shown(signal)
}

/** Resolves at once, or when a hidden page is shown again. */
async function shown(signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  if (!document.hidden) return
  await new Promise<void>((resolve, reject) => {
    const look = () => {
      if (document.hidden) return
      document.removeEventListener("visibilitychange", look)
      resolve()
    }
    document.addEventListener("visibilitychange", look)
    signal.addEventListener("abort", () => {
      document.removeEventListener("visibilitychange", look)
      reject(signal.reason)
    })
  })
}
