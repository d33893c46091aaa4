/** Lets work run side by side, and some of it alone. */
export interface Lanes {
  beside<T>(work: () => Promise<T>): Promise<T>
  /** Waits until all that runs has ended, and keeps the rest from beginning. */
  alone<T>(work: () => Promise<T>): Promise<T>
}

export function createLanes(): Lanes {
  const running = new Set<Promise<unknown>>()
  let alone: Promise<unknown> | null = null
  return {
    async beside(work) {
      while (alone) await alone
      const done = work()
      const ended = done.catch(() => undefined)
      running.add(ended)
      return done.finally(() => running.delete(ended))
    },
    async alone(work) {
      while (alone) await alone
      const done = Promise.all(running).then(work)
      alone = done
        .catch(() => undefined)
        .then(() => {
          alone = null
        })
      return done
    },
  }
}
