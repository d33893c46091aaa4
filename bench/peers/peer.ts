/** A passage with its vector, the same for every peer. */
export interface Row {
  readonly id: string
  /** The document it belongs to: what is judged. */
  readonly document: string
  readonly title: string
  readonly text: string
  readonly vector: Float32Array
}

export interface Question {
  readonly text: string
  readonly vector: Float32Array
}

/** Where a peer may keep what it stores. */
export interface Place {
  /** Empty, and its own. */
  readonly folder: string
  /** An empty PostgreSQL database of its own, as its owner; undefined where the run has no server. */
  readonly url: string | undefined
  readonly dimensions: number
}

/** A store that is open. It is used by one process, which does nothing else. */
export interface OpenedPeer {
  /** Adds passages; may leave indexes to `ready`. */
  index(rows: readonly Row[]): Promise<void>
  /** After the last passage: what the peer's own documentation says to do before searching (indexes, statistics). */
  ready(): Promise<void>
  /** Documents, best first: those of the `depth` best passages. */
  search(question: Question, way: string, depth: number): Promise<string[]>
  /** Bytes that are stored on disk; 0 where it is in memory alone. */
  diskBytes(): Promise<number>
  close(): Promise<void>
}

/** What people would use instead. */
export interface Peer {
  /** How it can be searched, the usual way first. */
  readonly ways: readonly string[]
  /** What stands behind a network or a file, and is there after a crash. */
  readonly kind: "server" | "embedded" | "in memory"
  /** Runs on a PostgreSQL of the caller's. */
  readonly onPostgres?: true
  open(place: Place): Promise<OpenedPeer>
}

/** More passages than this and those that may compare exactly get their approximate index; the others have it always. */
export const EXACT_ROWS_MAX = 50_000

/** Reciprocal rank fusion of two lists by hand, for peers that leave it to their user. `k` is 60. */
export function fuseByRank(lists: readonly (readonly string[])[], depth: number): string[] {
  const scores = new Map<string, number>()
  for (const list of lists)
    for (const [place, id] of list.entries()) scores.set(id, (scores.get(id) ?? 0) + 1 / (61 + place))
  return [...scores]
    .sort((a, b) => b[1] - a[1])
    .slice(0, depth)
    .map(([id]) => id)
}
