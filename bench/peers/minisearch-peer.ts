import { fuseByRank, type Peer, type Row } from "./peer.ts"

/** What is used of `minisearch`. */
interface MiniSearch {
  addAll(documents: readonly object[]): void
  search(text: string): readonly { readonly id: number }[]
}

const PACKAGE = "minisearch"

/** MiniSearch (BM25+) for the words, every vector compared in JavaScript, and RRF by hand. */
export const minisearch: Peer = {
  ways: ["rrf"],
  kind: "in memory",
  async open() {
    const { default: Engine } = (await import(PACKAGE)) as { default: new (options: object) => MiniSearch }
    const engine = new Engine({ fields: ["title", "text"] })
    const all: Row[] = []
    return {
      async index(rows) {
        engine.addAll(rows.map(({ title, text }, index) => ({ id: all.length + index, title, text })))
        all.push(...rows)
      },
      ready: () => Promise.resolve(),
      async search({ text, vector }, _way, depth) {
        const byWords = engine.search(text).slice(0, Math.max(100, depth))
        const near = nearest(all, vector, Math.max(100, depth))
        const fused = fuseByRank([byWords.map(({ id }) => String(id)), near.map(String)], depth)
        return fused.map((index) => all[Number(index)]?.document ?? "")
      },
      diskBytes: () => Promise.resolve(0),
      close: () => Promise.resolve(),
    }
  },
}

function nearest(rows: readonly Row[], vector: Float32Array, depth: number): number[] {
  const scores = Float32Array.from(rows, ({ vector: other }) => {
    let score = 0
    for (let i = 0; i < vector.length; i += 1) score += (vector[i] ?? 0) * (other[i] ?? 0)
    return score
  })
  const least = scores.toSorted()[Math.max(0, scores.length - depth)] ?? 0
  return [...scores.keys()]
    .filter((index) => (scores[index] ?? 0) >= least)
    .sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0))
    .slice(0, depth)
}
