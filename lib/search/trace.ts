import { measure, type StageTime, stage } from "../activity.ts"
import type { Candidate, Scored } from "./candidate.ts"
import type { ExplainedStage, SearchResponse } from "./response.ts"

type Stage = ExplainedStage["stage"]

/** What a search did: how long each stage took, what it had to do without, and on demand each stage's list. */
export class Trace {
  readonly timings: StageTime[] = []
  private readonly explain: ExplainedStage[] | null
  private readonly withouts: string[] = []
  private readonly ignored: string[] = []

  constructor(explain: boolean) {
    this.explain = explain ? [] : null
  }

  /** Runs a stage and notes how long it took, also when it throws. */
  timed<T>(name: string, run: () => Promise<T> | T): Promise<T> {
    const onEnd = (ms: number) => {
      this.timings.push({ stage: name, ms })
      measure("concordance.search.stage.duration", ms / 1_000, { "concordance.stage": name })
    }
    return stage(name, run, { onEnd })
  }

  /** Notes what the answer had to do without, and why. */
  degraded(reason: string): void {
    this.withouts.push(reason)
  }

  /** Notes what of the request had no effect, or another one than it asks for. */
  warn(warning: string): void {
    this.ignored.push(warning)
  }

  /** Notes the two lists as they came from the database, each in its own order. */
  lists(candidates: readonly Candidate[]): void {
    if (!this.explain) return
    const list = (rank: "denseRank" | "lexicalRank", score: "similarity" | "bm25"): Scored[] =>
      candidates
        .filter((candidate) => candidate[rank] !== null)
        .sort((a, b) => (a[rank] ?? 0) - (b[rank] ?? 0))
        .map((candidate) => ({ candidate, score: candidate[score] ?? 0 }))
    this.stage("dense", list("denseRank", "similarity"))
    this.stage("lexical", list("lexicalRank", "bm25"))
  }

  /** Notes the list that a stage left. */
  stage(stage: Stage, ranked: readonly Scored[]): void {
    this.explain?.push({
      stage,
      hits: ranked.map(({ candidate, score }) => ({ id: candidate.documentId, chunk_id: candidate.chunkId, score })),
    })
  }

  /** The parts of the response that tell what happened; none where there is nothing to tell. */
  report(): Pick<SearchResponse, "degraded" | "warnings" | "explain"> {
    return {
      ...(this.withouts.length > 0 && { degraded: this.withouts }),
      ...(this.ignored.length > 0 && { warnings: this.ignored }),
      ...(this.explain && { explain: this.explain }),
    }
  }
}
