import { type Signal, signal } from "@preact/signals"
import { keep, readKept } from "./kept.ts"

/** How long one search took. What was searched for is not kept. */
export interface SearchTiming {
  /** When it was answered, ms since 1970. */
  readonly at: number
  /** From question to answer as this page saw it, ms. */
  readonly totalMs: number
  /** What the server says its stages took, in its order. */
  readonly stages: readonly { readonly stage: string; readonly ms: number }[]
}

const KEPT = "concordance-search-timings"

/** Searches that are remembered; older ones are forgotten. */
const KEPT_MAX = 50

/** The last searches of this tab, oldest first. They outlive a reload, not the tab. */
export const searchTimings: Signal<readonly SearchTiming[]> = signal(read())

/** Remembers a search by the `Server-Timing` of its answer. */
export function recordTiming(totalMs: number, serverTiming: string | null): void {
  const timing = { at: Date.now(), totalMs, stages: parseServerTiming(serverTiming) }
  searchTimings.value = [...searchTimings.peek(), timing].slice(-KEPT_MAX)
  keep("sessionStorage", KEPT, JSON.stringify(searchTimings.peek()))
}

/** The stages that a `Server-Timing` names, without its `total`. */
export function parseServerTiming(header: string | null): SearchTiming["stages"] {
  return (header ?? "").split(",").flatMap((entry) => {
    const [stage = "", ...parameters] = entry.split(";").map((part) => part.trim())
    const ms = Number(/^dur=([\d.]+)$/.exec(parameters.find((part) => part.startsWith("dur=")) ?? "")?.[1])
    return stage === "" || stage === "total" || !Number.isFinite(ms) ? [] : [{ stage, ms }]
  })
}

function read(): readonly SearchTiming[] {
  try {
    const kept: unknown = JSON.parse(readKept("sessionStorage", KEPT) ?? "[]")
    return Array.isArray(kept) ? kept.filter(isTiming).slice(-KEPT_MAX) : []
  } catch {
    return []
  }
}

function isTiming(value: unknown): value is SearchTiming {
  const timing = value as Partial<SearchTiming> | null
  return typeof timing?.at === "number" && typeof timing.totalMs === "number" && Array.isArray(timing.stages)
}
