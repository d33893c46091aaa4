import { createHash } from "node:crypto"
import { mkdir, open, readFile, truncate } from "node:fs/promises"
import { join } from "node:path"
import type { Embedder } from "../lib/inference/inference.ts"

/** Where vectors wait for the next run: what `npm ci` clears, and git ignores. */
const CACHE_FOLDER = "node_modules/.cache/concordance"

const HASH_BYTES = 32
const FLAG_BYTES = 4
/** Embedded at each opening: a model that was built anew gives it another vector, and its old vectors are of no use. */
const PROBE = "The keeper winds the driving weight every four hours."

interface CachedVector {
  readonly vector: Float32Array
  readonly truncated: boolean
}

/**
 * An embedder that remembers its passages on disk, by model and SHA-256 of the text, so that a second run of a bench
 * takes seconds. Queries always go through the model: their time is part of what is measured. `tokens` counts only
 * what went through the model. One process at a time may write to a folder.
 */
export async function createCachingEmbedder(inner: Embedder, folder = CACHE_FOLDER): Promise<Embedder> {
  await mkdir(folder, { recursive: true })
  const path = join(folder, `${inner.model.replace(/[^\w.-]+/g, "_")}-${inner.dimensions}.vectors`)
  const known = await readVectors(path, inner.dimensions)
  const probe = (await inner.embed([PROBE], "passage")).vectors[0] ?? new Float32Array()
  const before = known.get(hashOf(PROBE))
  if (!before || !sameVector(before.vector, probe)) {
    known.clear()
    await (await open(path, "w")).close()
    await appendVectors(path, known, [{ text: PROBE, vector: probe, truncated: false }])
  }
  return {
    model: inner.model,
    dimensions: inner.dimensions,
    maxTokens: inner.maxTokens,
    ...(inner.languages && { languages: inner.languages }),
    countTokens: (text) => inner.countTokens(text),
    embed: async (texts, kind, options) => {
      if (kind === "query") return inner.embed(texts, kind, options)
      const missing = [...new Set(texts.filter((text) => !known.has(hashOf(text))))]
      const made = missing.length > 0 ? await inner.embed(missing, kind, options) : null
      const lost = new Set(made?.truncated)
      const fresh = missing.map((text, index) => {
        return { text, vector: made?.vectors[index] ?? new Float32Array(), truncated: lost.has(index) }
      })
      await appendVectors(path, known, fresh)
      const found = texts.map((text) => known.get(hashOf(text)) ?? { vector: new Float32Array(), truncated: false })
      return {
        vectors: found.map(({ vector }) => vector),
        truncated: found.flatMap(({ truncated }, index) => (truncated ? [index] : [])),
        tokens: made?.tokens ?? 0,
      }
    },
  }
}

const hashOf = (text: string): string => createHash("sha256").update(text).digest("base64")

function sameVector(a: Float32Array, b: Float32Array): boolean {
  return a.length === b.length && a.every((value, index) => Math.abs(value - (b[index] ?? 0)) < 1e-4)
}

async function readVectors(path: string, dimensions: number): Promise<Map<string, CachedVector>> {
  const bytes = await readFile(path).catch(() => Buffer.alloc(0))
  const recordBytes = HASH_BYTES + FLAG_BYTES + 4 * dimensions
  const whole = Math.floor(bytes.length / recordBytes)
  // A run that was killed while it wrote leaves half a record, behind which nothing could be read.
  if (whole * recordBytes < bytes.length) await truncate(path, whole * recordBytes)
  const known = new Map<string, CachedVector>()
  for (let index = 0; index < whole; index += 1) {
    const record = bytes.subarray(index * recordBytes, (index + 1) * recordBytes)
    const vector = new Float32Array(dimensions)
    for (let i = 0; i < dimensions; i += 1) vector[i] = record.readFloatLE(HASH_BYTES + FLAG_BYTES + 4 * i)
    known.set(record.toString("base64", 0, HASH_BYTES), { vector, truncated: record.readUInt32LE(HASH_BYTES) === 1 })
  }
  return known
}

async function appendVectors(
  path: string,
  known: Map<string, CachedVector>,
  fresh: readonly (CachedVector & { readonly text: string })[],
): Promise<void> {
  const records = fresh.map(({ text, vector, truncated }) => {
    const hash = hashOf(text)
    known.set(hash, { vector, truncated })
    const record = Buffer.alloc(HASH_BYTES + FLAG_BYTES + 4 * vector.length)
    record.write(hash, 0, "base64")
    record.writeUInt32LE(truncated ? 1 : 0, HASH_BYTES)
    vector.forEach((value, index) => {
      record.writeFloatLE(value, HASH_BYTES + FLAG_BYTES + 4 * index)
    })
    return record
  })
  if (records.length === 0) return
  const file = await open(path, "a")
  try {
    await file.write(Buffer.concat(records))
  } finally {
    await file.close()
  }
}
