import type { Database } from "../lib/database/database.ts"
import { mean, overlap } from "../lib/relevance-metrics.ts"
import { vectorToSql } from "../lib/vector.ts"
import { DENSE_METHODS, type DenseMethod, filterOf } from "./dense-methods.ts"
import type { NearestOf } from "./dense-reference.ts"
import { percentile, round } from "./metrics.ts"

/** A list of one method under one filter. */
export interface MethodFigures {
  readonly p50_ms: number
  readonly p95_ms: number
  /** Share of the ten nearest of those that pass among the first ten. */
  readonly recall10: number
}

/** One filter: every way, and what the product chose. */
export interface FilterFigures {
  /** Share of the chunks that pass. */
  readonly selectivity: number
  readonly methods: Partial<Record<DenseMethod, MethodFigures>>
  /** What the product chose: one of `index`, `keys` and `scan`. */
  readonly plan: string
  /** The product's p50 over the least p50 of those with recall@10 of .99 and more. */
  readonly over_best: number
}

interface DenseSubject {
  readonly database: Database
  readonly tenant: string
  readonly space: { readonly id: number; readonly dimensions: number }
  readonly nearest: NearestOf
}

/** `bucket` is 0 to 999: the filter is that it is below this. Null: no filter. */
const BELOW: readonly (number | null)[] = [null, 500, 100, 10, 1]

const RECALL_WANTED = 0.99
/** A method that takes longer for a question than this is asked the first ones alone. */
const SLOW_MS = 400
const SLOW_QUESTIONS = 10
const TIMEOUT_MS = 600_000

/**
 * Asks each question in every way under every filter, one way after the other, in turn, so that whatever else the machine
 * does meets all of them. Each way is asked once before.
 */
export async function measureDense(
  subject: DenseSubject,
  questions: readonly Float32Array[],
  onAsked: (count: number) => void,
): Promise<FilterFigures[]> {
  const vectors = questions.map((vector) => vectorToSql(vector))
  const expected: (readonly string[])[][] = []
  for (const [index, vector] of vectors.entries()) {
    expected.push(await subject.nearest(vector, BELOW))
    onAsked(index + 1)
  }
  const figures: FilterFigures[] = []
  for (const [place, below] of BELOW.entries()) {
    const asked = await askAll(subject, vectors, below, (done) => onAsked(vectors.length * (place + 1) + done))
    const methods: Partial<Record<DenseMethod, MethodFigures>> = {}
    for (const [method, answers] of asked) {
      const times = answers.map(({ ms }) => ms)
      methods[method] = {
        p50_ms: round(percentile(times, 50), 2),
        p95_ms: round(percentile(times, 95), 2),
        recall10: round(mean(answers.map(({ keys }, index) => overlap(expected[index]?.[place] ?? [], keys))), 4),
      }
    }
    const plan = await planOf(subject, below)
    figures.push({ selectivity: (below ?? 1_000) / 1_000, plan, methods, over_best: overBest(methods) })
  }
  return figures
}

function overBest({ auto, ...others }: FilterFigures["methods"]): number {
  const times = Object.values(others).flatMap((f) => (f.recall10 >= RECALL_WANTED ? [f.p50_ms] : []))
  return round((auto?.p50_ms ?? Number.NaN) / Math.min(...times), 2)
}

interface Answered {
  readonly ms: number
  readonly keys: readonly string[]
}

async function askAll(
  { database, tenant, space }: DenseSubject,
  vectors: readonly string[],
  below: number | null,
  onAsked: (count: number) => void,
): Promise<Map<DenseMethod, Answered[]>> {
  const answers = new Map<DenseMethod, Answered[]>()
  const ask = async (method: DenseMethod, vector: string): Promise<Answered> => {
    const statements = DENSE_METHODS[method]({ space: space.id, dimensions: space.dimensions, vector, below })
    const start = performance.now()
    const rows = (await database.batch({ tenant }, statements, { timeoutMs: TIMEOUT_MS })).at(-1) ?? []
    return { ms: performance.now() - start, keys: rows.slice(0, 10).map(({ key }) => String(key)) }
  }
  const methods = (Object.keys(DENSE_METHODS) as DenseMethod[]).filter((method) => below !== null || method !== "keys")
  const slow = new Set<DenseMethod>()
  for (const method of methods) if ((await ask(method, vectors[0] ?? "")).ms > SLOW_MS) slow.add(method)
  for (const [index, vector] of vectors.entries()) {
    // Whoever comes first fetches for the others what lies near the question: each is first as often as any other.
    const turn = index % methods.length
    for (const method of [...methods.slice(turn), ...methods.slice(0, turn)]) {
      if (slow.has(method) && index >= SLOW_QUESTIONS) continue
      answers.set(method, [...(answers.get(method) ?? []), await ask(method, vector)])
    }
    onAsked(index + 1)
  }
  return answers
}

/** It hangs on the filter alone. */
async function planOf({ database, tenant, space }: DenseSubject, below: number | null): Promise<string> {
  const text = `select plan from dense_plan($1, null, ${filterOf(below)}, 100)`
  const [rows = []] = await database.batch({ tenant }, [{ text, values: [space.id] }], { timeoutMs: TIMEOUT_MS })
  return String(rows[0]?.["plan"])
}
