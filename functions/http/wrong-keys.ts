import { LRUCache } from "lru-cache"
import type { Log } from "../../lib/log.ts"
import { addressBlock } from "./client-address.ts"

/** Wrong keys of this process's callers, by their addresses. */
export interface WrongKeys {
  /** Counts one. Returns after how many seconds its sender may try another; 0 while they may at once. */
  count(address: string | undefined): number
  /** Since the process began: all wrong keys, and those of them that were answered by a 429. For metrics. */
  counted(): { readonly wrong: number; readonly slowed: number }
}

/** Wrong keys within `WINDOW_MS` that are answered by a plain 401. */
const FREE_MAX = 10
const WINDOW_MS = 60_000
const WAIT_S_MAX = 300
/** Addresses remembered, some 200 bytes each; the one that was quiet longest makes room. */
const ADDRESSES_MAX = 10_000
const LOGGED_EVERY_MS = 60_000
/** All whose address nobody knows. */
const UNKNOWN = "unknown"

interface Sender {
  /** When the last ones came, ms, at most `FREE_MAX`. */
  times: number[]
  /** Wrong keys beyond the free ones since it was last quiet. */
  slowed: number
  waitsUntil: number
  loggedAt: number
  /** Since the last line of the log. */
  unlogged: number
}

/**
 * Slows down who sends wrong keys: after 10 in a minute each next one has to wait, 2 s, 4 s and so on up to 5 minutes, until
 * a wait and a minute have passed without any. Nobody can guess 256 random bits; what this is for is a log that shows it,
 * and clients with an old key that would ask for ever. It holds up no right key, whose address may be many people's (a
 * company's, a proxy's). One process counts for itself. `now` is in milliseconds.
 */
export function createWrongKeys(log: Log, now: () => number = () => performance.now()): WrongKeys {
  const senders = new LRUCache<string, Sender>({ max: ADDRESSES_MAX })
  const totals = { wrong: 0, slowed: 0 }
  return {
    count(address) {
      const at = now()
      const block = address === undefined ? UNKNOWN : addressBlock(address)
      const sender = senders.get(block) ?? newSender()
      senders.set(block, sender)
      const waitS = nextWait(sender, at)
      totals.wrong++
      if (waitS > 0) totals.slowed++
      sender.unlogged++
      if (at - sender.loggedAt >= LOGGED_EVERY_MS) {
        log.warn("wrong API key", { address: block, count: sender.unlogged, ...(waitS > 0 && { waitS }) })
        sender.loggedAt = at
        sender.unlogged = 0
      }
      return waitS
    },
    counted: () => ({ ...totals }),
  }
}

function newSender(): Sender {
  return { times: [], slowed: 0, waitsUntil: 0, loggedAt: Number.NEGATIVE_INFINITY, unlogged: 0 }
}

function nextWait(sender: Sender, at: number): number {
  sender.times = sender.times.filter((time) => at - time < WINDOW_MS)
  if (sender.times.length === 0 && at - sender.waitsUntil >= WINDOW_MS) sender.slowed = 0
  const isFree = sender.times.length < FREE_MAX && at >= sender.waitsUntil
  sender.times = [...sender.times, at].slice(-FREE_MAX)
  if (isFree) return 0
  sender.slowed++
  const waitS = Math.min(WAIT_S_MAX, 2 ** sender.slowed)
  sender.waitsUntil = at + waitS * 1_000
  return waitS
}
