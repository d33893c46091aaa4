import type { Passage } from "../lib/beir-collection.ts"
import { deadlineIn } from "../lib/deadline.ts"
import type { IndexDocuments } from "../lib/documents/index-documents.ts"
import { IndexRequest } from "../lib/documents/index-request.ts"
import type { Embedder } from "../lib/inference/inference.ts"
import { createMixtureEmbedder } from "./mixture-embedder.ts"
import { type RecombinedPassage, recombinePassages } from "./recombined-passages.ts"

/** Chunks a document: as many as an article of six pages has. */
const CHUNKS_PER_DOCUMENT = 10
const DOCUMENTS_PER_CALL = 20
/** Calls under way at once: the database works on some while the next is prepared. */
const CALLS_AT_ONCE = 3
const DOCUMENTS_PER_EMBEDDING = 256
const DEADLINE_MS = 600_000
const BUCKETS = 1_000
/** Prime to the number of buckets: each comes once in a thousand passages. */
const BUCKET_STEP = 619

/** The real vectors of a corpus, one a document, in order. */
export async function embedCorpus(
  embedder: Embedder,
  corpus: readonly Passage[],
  onEmbedded: (count: number) => void,
): Promise<Float32Array[]> {
  const vectors: Float32Array[] = []
  for (let start = 0; start < corpus.length; start += DOCUMENTS_PER_EMBEDDING) {
    const texts = corpus.slice(start, start + DOCUMENTS_PER_EMBEDDING).map(({ text }) => text)
    vectors.push(...(await embedder.embed(texts, "passage")).vectors)
    onEmbedded(vectors.length)
  }
  return vectors
}

export interface Load {
  readonly tenant: string
  /** Chunks to make. */
  readonly count: number
  readonly seed: number
}

/** Fills tenants with recombined passages of one corpus, by the product's own index path. */
export function createPassageLoader(
  createIndexDocuments: (embedder: Embedder) => IndexDocuments,
  model: Embedder,
  corpus: readonly Passage[],
  documentVectors: readonly Float32Array[],
) {
  const mixture = createMixtureEmbedder(model, documentVectors)
  const indexDocuments = createIndexDocuments(mixture.embedder)
  return async ({ tenant, count, seed }: Load, onLoaded: (count: number) => void): Promise<void> => {
    let loaded = 0
    const write = async ({ first, passages }: Group) => {
      const requests = [...groupsOf(passages, CHUNKS_PER_DOCUMENT)].map((chunks, index) =>
        documentOf(first / CHUNKS_PER_DOCUMENT + index, chunks),
      )
      const expected = mixture.expect(passages)
      const outcomes = await indexDocuments(tenant, requests, deadlineIn(DEADLINE_MS)).finally(expected.forget)
      for (const outcome of outcomes) if ("failed" in outcome) throw outcome.failed
      loaded += passages.length
      onLoaded(loaded)
    }
    const groups = numbered(recombinePassages(corpus, count, seed))
    await Promise.all(
      Array.from({ length: CALLS_AT_ONCE }, async () => {
        for (let next = groups.next(); !next.done; next = groups.next()) await write(next.value)
      }),
    )
  }
}

/** Passages that one call writes; `first` is the number of the first one. */
interface Group {
  readonly first: number
  readonly passages: readonly RecombinedPassage[]
}

function* numbered(passages: Iterable<RecombinedPassage>): Generator<Group> {
  let first = 0
  for (const group of groupsOf(passages, CHUNKS_PER_DOCUMENT * DOCUMENTS_PER_CALL)) {
    yield { first, passages: group }
    first += group.length
  }
}

/** Its chunks carry `bucket`, 0 to 999, as many of each, and not in the order of the passages: to filter a share of them by. */
function documentOf(number: number, passages: readonly RecombinedPassage[]): IndexRequest {
  const chunks = passages.map(({ content }, index) => {
    const bucket = ((number * CHUNKS_PER_DOCUMENT + index) * BUCKET_STEP) % BUCKETS
    return { content, metadata: { bucket } }
  })
  return IndexRequest.parse({ id: `passages-${number}`, language: "en", chunks })
}

function* groupsOf<T>(items: Iterable<T>, size: number): Generator<T[]> {
  let group: T[] = []
  for (const item of items) {
    group.push(item)
    if (group.length === size) {
      yield group
      group = []
    }
  }
  if (group.length > 0) yield group
}
