/** Who hears of Ctrl-C: the command as a whole, or what it has under way. */
export interface Interrupts {
  /** Aborts at the first Ctrl-C that nothing under way took. */
  readonly signal: AbortSignal
  /** Ctrl-C. Whoever asks twice doesn't want to wait until things are put away. */
  press(): void
  /** Runs `work` so that the first Ctrl-C aborts its signal alone, and the command goes on. */
  cancellable<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T>
}

/** `leave` ends the process at once. */
export function createInterrupts(leave: () => void): Interrupts {
  const whole = new AbortController()
  let current = whole
  return {
    signal: whole.signal,
    press() {
      if (current.signal.aborted) leave()
      else current.abort()
    },
    async cancellable(work) {
      const inner = new AbortController()
      current = inner
      try {
        return await work(AbortSignal.any([inner.signal, whole.signal]))
      } finally {
        current = whole
      }
    },
  }
}
