import type { MeanInterval } from "../../lib/relevance-metrics.ts"
import { meanInterval } from "../metrics.ts"
import type { Measured } from "./measure-peers.ts"

/** What stands against the peers: the product's default, and the same reranked. */
const OURS = ["weighted", "weighted+rerank"]

/** nDCG@10 of ours minus a peer's over the same questions, with its bootstrap interval, 95 %. */
export interface Difference extends MeanInterval {
  readonly ours: string
  readonly peer: string
}

/** Ours against every way of every peer that isn't ours. */
export function comparePairs(measured: readonly Measured[]): Difference[] {
  const isOurs = ({ peer }: Measured) => peer.startsWith("concordance")
  const first = measured.find(isOurs)
  const ours = measured.filter(({ peer, way }) => peer === first?.peer && OURS.includes(way))
  const theirs = measured.filter((one) => !isOurs(one))
  return ours.flatMap(({ peer, way, ndcg_by_question: our }) =>
    theirs.map((their) => {
      const differences = our.map((value, index) => value - (their.ndcg_by_question[index] ?? 0))
      return { ours: `${peer}, ${way}`, peer: `${their.peer}, ${their.way}`, ...meanInterval(differences) }
    }),
  )
}
