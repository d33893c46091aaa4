import { readdirSync, readFileSync } from "node:fs"
import { PEERS } from "./all-peers.ts"
import type { OpenedPeer, Place, Question, Row } from "./peer.ts"

/** What the bench asks of the process that runs one peer; each is answered by a `Reply`, in order. */
export type Ask =
  | { readonly kind: "open"; readonly peer: string; readonly place: Place }
  | { readonly kind: "index"; readonly rows: readonly Row[] }
  | { readonly kind: "ready" }
  | { readonly kind: "search"; readonly question: Question; readonly way: string; readonly depth: number }
  | { readonly kind: "sizes" }
  | { readonly kind: "close" }

export interface Reply {
  /** How long the peer took, ms: the way between the processes is not counted. */
  readonly ms: number
  readonly documents?: readonly string[]
  readonly diskBytes?: number
  /** Resident memory of this process and of those it started, bytes. */
  readonly memoryBytes?: number
  readonly failure?: string
}

let opened: OpenedPeer | undefined

process.on("message", (ask: Ask) => {
  answer(ask).then(
    (reply) => process.send?.(reply),
    (error: unknown) => process.send?.({ ms: 0, failure: error instanceof Error ? error.message : String(error) }),
  )
})

async function answer(ask: Ask): Promise<Reply> {
  const began = performance.now()
  const done = await perform(ask)
  return { ms: performance.now() - began, ...done }
}

async function perform(ask: Ask): Promise<Partial<Reply>> {
  if (ask.kind === "open") {
    const peer = await PEERS[ask.peer]?.()
    opened = await peer?.open(ask.place)
    return {}
  }
  if (!opened) throw new Error("No peer is open")
  switch (ask.kind) {
    case "index":
      await opened.index(ask.rows)
      return {}
    case "ready":
      await opened.ready()
      return {}
    case "search":
      return { documents: await opened.search(ask.question, ask.way, ask.depth) }
    case "sizes":
      globalThis.gc?.()
      return { diskBytes: await opened.diskBytes(), memoryBytes: residentBytes(process.pid) }
    case "close":
      await opened.close()
      setImmediate(() => process.disconnect())
      return {}
  }
}

/** Of the process and all below it, as Linux counts them. */
function residentBytes(pid: number): number {
  const processes = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap(readProcess)
  const below = (parent: number): number =>
    processes
      .filter((one) => one.pid === parent || one.parent === parent)
      .reduce((sum, one) => sum + (one.pid === parent ? one.bytes : below(one.pid)), 0)
  return below(pid)
}

function readProcess(name: string): { pid: number; parent: number; bytes: number }[] {
  try {
    const fields = readFileSync(`/proc/${name}/stat`, "utf8")
      .replace(/^.*\) /s, "")
      .split(" ")
    return [{ pid: Number(name), parent: Number(fields[1]), bytes: Number(fields[21]) * 4_096 }]
  } catch {
    // It ended meanwhile.
    return []
  }
}
