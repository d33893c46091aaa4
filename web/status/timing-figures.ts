import type { SearchTiming } from "../api/search-timings.ts"

/** The parts that a search's time is shown in, in the order of the search. */
export const PARTS = ["meaning", "find", "rerank", "other", "way"] as const
export type Part = (typeof PARTS)[number]

export const PART_NAMES: Readonly<Record<Part, string>> = {
  meaning: "Understanding the question",
  find: "Finding in the database",
  rerank: "Putting the best first",
  other: "Everything else here",
  way: "On the way",
}

/** Which stage of `Server-Timing` is which part; any other is `other`. */
const PART_OF: Readonly<Record<string, Part>> = { embed: "meaning", rank: "find", rerank: "rerank" }

/** One search as the chart shows it. */
export interface TimingBar {
  readonly at: number
  readonly totalMs: number
  readonly parts: Readonly<Record<Part, number>>
}

/** Adds up the stages by part; what none of them took was the way there and back. */
export function toBar({ at, totalMs, stages }: SearchTiming): TimingBar {
  const parts = { meaning: 0, find: 0, rerank: 0, other: 0, way: 0 }
  for (const { stage, ms } of stages) parts[PART_OF[stage] ?? "other"] += ms
  const known = parts.meaning + parts.find + parts.rerank + parts.other
  return { at, totalMs, parts: { ...parts, way: Math.max(totalMs - known, 0) } }
}

/** The value that a share of the values doesn't exceed, by nearest rank; null of none. */
export function percentile(values: readonly number[], share: number): number | null {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.max(Math.ceil(share * sorted.length) - 1, 0)] ?? null
}

/** The least round number that is not below the value, and what marks to set up to it. */
export function scaleOf(value: number): { readonly top: number; readonly marks: readonly number[] } {
  const size = 10 ** Math.floor(Math.log10(Math.max(value, 1)))
  const step = ([0.25, 0.5, 1, 2.5, 5].find((one) => one * size * 4 >= value) ?? 5) * size
  const count = Math.max(Math.ceil(value / step), 1)
  return { top: count * step, marks: Array.from({ length: count + 1 }, (_, index) => index * step) }
}

/** `87 ms`, `1.4 s`. */
export function formatMs(ms: number): string {
  if (ms < 9.95) return `${ms.toFixed(1)} ms`
  return ms < 999.5 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`
}
