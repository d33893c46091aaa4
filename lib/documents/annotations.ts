import * as z from "zod"
import { entityKey } from "../entity-key.ts"
import { StorableText } from "../shapes.ts"

/** Most anomalies, and most entities, of one chunk. */
export const ANNOTATIONS_MAX = 200

/** A word for a sort of thing, as it stands in URLs: `person`, `date-conflict`. */
export const AnnotationKind = z
  .string()
  .max(40)
  .regex(/^[a-z][a-z0-9_-]*$/, "must be lower-case letters, digits, - and _, a letter first")

/** Something odd about a chunk: a date that can't be, a torn corner, a second hand. */
export const Anomaly = z.strictObject({
  kind: AnnotationKind,
  note: StorableText.min(1).max(2_000),
})
export type Anomaly = z.infer<typeof Anomaly>

const EntityName = StorableText.max(200).refine((name) => entityKey(name) !== "", "must hold a letter or a digit")

/** Somebody or something that a chunk names. */
export const ChunkEntity = z.strictObject({
  name: EntityName.describe("Its full name, the same wherever it is mentioned"),
  kind: AnnotationKind.default("other"),
  surface: EntityName.optional().describe("As this text has it; `name` when absent"),
})
export type ChunkEntity = z.output<typeof ChunkEntity>
