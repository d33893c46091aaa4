import type { IndexCall, NewRecord } from "../../lib/indexes/search-index.ts"
import { randomFrom } from "../../lib/random.ts"
import { createWordEmbedder } from "../word-embedder.ts"

export const DIMENSIONS = 64
export const embedder = createWordEmbedder({ dimensions: DIMENSIONS })

/** The embedder's vector of a text. */
export async function vectorOf(text: string): Promise<Float32Array> {
  const { vectors } = await embedder.embed([text], "passage")
  return vectors[0] as Float32Array
}

/** A call that has a minute. */
export function callIn(ms = 60_000, partition: string | null = null): IndexCall {
  return { partition, signal: AbortSignal.timeout(ms) }
}

/** A UUID that is the number's. */
export function uuid(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`
}

/** A record with its text's vector; its id is the number's. */
export async function record(number: number, text: string, payload: Record<string, unknown> = {}): Promise<NewRecord> {
  return {
    id: uuid(number),
    text,
    payload: { document_id: `doc-${number}`, chunk_id: "c0001", ...payload },
    vector: await vectorOf(text),
  }
}

const WORDS =
  `harbour lighthouse keeper schooner rope anchor tide reef pilot chart compass mast deck cargo ledger captain storm
  island quay gull oyster salt net trawler beacon fog bell lantern crew voyage`.split(/\s+/)

/** As many records of five words each, the same each time. */
export async function manyRecords(count: number, seed = 7): Promise<NewRecord[]> {
  const random = randomFrom(seed)
  const word = () => WORDS[Math.floor(random() * WORDS.length)] as string
  const records: NewRecord[] = []
  for (let i = 0; i < count; i++) {
    const text = `${Array.from({ length: 5 }, word).join(" ")} number${i}`
    records.push(await record(i, text, { year: 1900 + (i % 100) }))
  }
  return records
}
