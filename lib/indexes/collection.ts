import { AppError } from "../errors.ts"
import { type FieldMapping, type FieldSettings, mapFields } from "./field-mapping.ts"
import { callIndex } from "./index-failure.ts"
import type { CollectionFacts, IndexCall, IndexRecord, SearchIndex } from "./search-index.ts"

/** What is known of a collection's vectors and fields. */
export interface Layout {
  readonly facts: CollectionFacts
  readonly mapping: FieldMapping
  /** What it was told from; empty while the collection is. */
  readonly samples: readonly IndexRecord[]
}

/** An index together with how its records are to be read. */
export interface Collection {
  readonly index: SearchIndex
  /**
   * Looked up once there are records; of a collection that is still empty, anew each time. Null where there is none. Throws
   * `invalid_configuration` where the settings don't fit what is there.
   */
  layout(call: IndexCall): Promise<Layout | null>
}

/** What the collection's vectors are compared with. */
export interface VectorModel {
  readonly model: string
  /** Vectors are of this length, and of unit length. */
  readonly dimensions: number
}

/** Records that the mapping is told from: enough to hold a first page and a short document. */
const SAMPLES = 20
/** How far from 1 the length of a unit vector may be: halves keep three digits. */
const UNIT_TOLERANCE = 0.01

export interface CollectionOptions {
  readonly settings: FieldSettings
  /** Null: nothing is compared, so the vectors aren't looked at. */
  readonly model: VectorModel | null
}

/** An index whose layout is looked up when it is first needed. */
export function createCollection(index: SearchIndex, { settings, model }: CollectionOptions): Collection {
  let known: Layout | null = null
  return {
    index,
    async layout(call) {
      if (known) return known
      const facts = await callIndex(index.name, call.signal, () => index.describe(call))
      if (!facts) return null
      const samples = await callIndex(index.name, call.signal, () => index.sample(SAMPLES, call))
      if (model) requireComparable(index.name, facts, samples, { ...model, setting: "RETRIEVAL_COLLECTION" })
      const layout = { facts, samples, mapping: mapFields(samples, settings, index.name) }
      if (samples.length > 0) known = layout
      return layout
    },
  }
}

/** The setting that names a collection. */
export type CollectionSetting = "RETRIEVAL_COLLECTION" | "PARENT_EXPANSION_COLLECTION"

/** Throws `invalid_configuration`, which names both sides, where the model's vectors can't be compared with those stored. */
export function requireComparable(
  name: string,
  facts: CollectionFacts,
  samples: readonly IndexRecord[],
  { model, dimensions, setting }: VectorModel & { readonly setting: CollectionSetting },
): void {
  const stored = facts.dimensions ?? samples.find(({ vector }) => vector)?.vector?.length ?? null
  if (stored !== null && stored !== dimensions) {
    throw new AppError(
      "invalid_configuration",
      `The vectors of ${name} have ${stored} dimensions, those of the embedding model ${model} have ${dimensions}. Set EMBEDDING_MODEL to the model that the collection was made with, or ${setting} to one that was made with this.`,
    )
  }
  if (facts.metric === "cosine" || facts.metric === null) return
  const lengths = samples.flatMap(({ vector }) => (vector ? [Math.hypot(...vector)] : []))
  const odd = lengths.find((length) => Math.abs(length - 1) > UNIT_TOLERANCE)
  if (odd === undefined) return
  throw new AppError(
    "invalid_configuration",
    `${name} compares vectors by ${facts.metric === "dot" ? "dot product" : "Euclidean distance"} and holds some of length ${odd.toPrecision(3)}; the embedding model ${model} gives vectors of length 1. Make the collection anew with cosine, or with unit vectors.`,
  )
}
