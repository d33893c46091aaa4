import type { SearchHit, SearchResponse } from "../../lib/search/response.ts"
import type { Resource } from "../api/use-resource.ts"
import { Failure, Loading } from "../parts/states.tsx"
import { type ExplainedRank, explainedRanks } from "./explained-ranks.ts"
import { ordinal } from "./ordinal.ts"

const STAGES: Readonly<
  Record<ExplainedRank["stage"], { readonly name: string; readonly says: string; readonly score: string }>
> = {
  dense: {
    name: "Meaning",
    says: "How near it comes to what you asked, whatever words it uses.",
    score: "similarity",
  },
  lexical: {
    name: "Words",
    says: "How many of your words it holds; a rare word counts more, a long passage less.",
    score: "BM25",
  },
  fuse: { name: "Fused", says: "The two put together, as the chosen ranking weighs them.", score: "score" },
  rerank: {
    name: "Reranked",
    says: "Read once more beside your question: three tenths of the order are this second look's.",
    score: "score",
  },
}

/** How a result came to its place, list by list. */
export function WhyRanked({
  hit,
  explained,
}: {
  readonly hit: SearchHit
  readonly explained: Resource<SearchResponse>
}) {
  if (explained.failure) return <Failure failure={explained.failure} retry={explained.reload} />
  const stages = explained.value?.explain
  if (!stages) return <Loading what="Looking up the ranks" lines={3} />
  return (
    <ul class="why">
      {explainedRanks(hit, stages).map((rank) => (
        <WhyRow key={rank.stage} rank={rank} />
      ))}
    </ul>
  )
}

function WhyRow({ rank }: { readonly rank: ExplainedRank }) {
  const { name, says, score } = STAGES[rank.stage]
  return (
    <li>
      <strong>{name}</strong>
      <span class="why-place">{placeOf(rank)}</span>
      <span class="why-bar" aria-hidden="true">
        <span style={{ width: `${(rank.share * 100).toFixed(1)}%` }} />
      </span>
      <span class="why-score">{rank.score === null ? "–" : `${score} ${rank.score.toFixed(2)}`}</span>
      <small>{says}</small>
    </li>
  )
}

function placeOf({ stage, place, of }: ExplainedRank): string {
  if (place !== null) return `${ordinal(place)} of ${of}`
  if (of === 0) return stage === "lexical" ? "no list by words here" : "no list by meaning here"
  return `not among the first ${of}`
}
