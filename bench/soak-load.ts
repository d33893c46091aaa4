import { setTimeout as sleep } from "node:timers/promises"

/** One request of the mix: what it is called in the figures, and how it is sent. */
export interface Kind {
  readonly name: string
  /** Of a hundred requests. */
  readonly share: number
  /** The `n`th of all; resolves to the status, 0 where the connection broke. */
  send(n: number): Promise<number>
}

/** What became of one request. */
export interface Sent {
  readonly kind: string
  readonly status: number
  /** From the moment it was due, not from that in which it was sent: a queue that builds up counts. */
  readonly ms: number
}

/** Which kind the `n`th request is, the same in every run and spread evenly. */
function kindOf(kinds: readonly Kind[], n: number): Kind {
  // 37 is prime to 100: every share is met exactly, its requests apart from each other.
  let left = (n * 37) % 100
  for (const kind of kinds) {
    left -= kind.share
    if (left < 0) return kind
  }
  throw new Error("the shares of a mix make a hundred")
}

async function timed(kind: Kind, n: number, dueMs: number): Promise<Sent> {
  const status = await kind.send(n)
  return { kind: kind.name, status, ms: performance.now() - dueMs }
}

/** Closed loop: so many callers, each asking again as soon as it is answered. Requests a second that were answered well. */
export async function measureCapacity(kinds: readonly Kind[], callers: number, seconds: number): Promise<number> {
  const began = performance.now()
  const until = began + seconds * 1_000
  let n = 0
  let answered = 0
  const call = async () => {
    while (performance.now() < until) {
      const { status } = await timed(kindOf(kinds, n), n++, performance.now())
      if (status >= 200 && status < 300) answered++
    }
  }
  await Promise.all(Array.from({ length: callers }, call))
  return answered / ((performance.now() - began) / 1_000)
}

/** Open loop: `rate` requests a second, sent when they are due whatever became of those before. */
export async function runAtRate(
  kinds: readonly Kind[],
  rate: number,
  seconds: number,
  onSent: (sent: Sent) => void,
): Promise<void> {
  const began = performance.now()
  const underway = new Set<Promise<void>>()
  for (let n = 0; n < rate * seconds; n++) {
    const due = began + (n / rate) * 1_000
    const early = due - performance.now()
    if (early > 0) await sleep(early)
    const one = timed(kindOf(kinds, n), n, due)
      .then(onSent)
      .finally(() => underway.delete(one))
    underway.add(one)
  }
  await Promise.all(underway)
}
