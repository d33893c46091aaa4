import type { Server } from "node:http"

/** A connection counts as just come for so many turns of the event loop: it is accepted in one, and its request read in the next. */
const TURNS = 3
/** Longest that a request waits for the connections behind it, ms: 500 at once are accepted within 200. */
const WAIT_MS_MAX = 1_000

/** Lets requests that come at once be seen at once. */
export interface Arrivals {
  /** Undefined where no other connection has just come; else it resolves when no more come, or after a second. */
  settled(): Promise<void> | undefined
}

/**
 * The event loop accepts one connection a turn (libuv since 1.45), and a turn in which a model or the embedded database works
 * takes 20 ms. Of 500 connections made at once each search would so be over before the next is read: none is refused, and the
 * last waits for all of them where no limit and no deadline sees it. So where connections come turn after turn, their requests
 * begin when the last has come, and what bounds searches sees them all.
 */
export function createArrivals(server: Server): Arrivals {
  let arriving = 0
  let quiet: Promise<void> | undefined
  server.on("connection", () => {
    arriving++
    const pass = (turns: number) => setImmediate(() => (turns > 1 ? pass(turns - 1) : arriving--))
    pass(TURNS)
  })
  const until = (end: number): Promise<void> =>
    new Promise((resolve) => {
      const look = () => (arriving > 0 && performance.now() < end ? setImmediate(look) : resolve())
      look()
    })
  return {
    settled() {
      if (arriving < 2) return undefined
      quiet ??= until(performance.now() + WAIT_MS_MAX).finally(() => {
        quiet = undefined
      })
      return quiet
    },
  }
}
