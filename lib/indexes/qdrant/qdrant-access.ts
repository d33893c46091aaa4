import { callIndex } from "../index-failure.ts"
import { createJsonClient, type JsonCall } from "../json-client.ts"
import { pathSegment } from "../path-segment.ts"
import { placeOfUrl } from "../place-of-url.ts"
import type { IndexCall } from "../search-index.ts"
import { chooseVector, type QdrantCollection, type QdrantVectors } from "./qdrant-records.ts"

export interface QdrantOptions {
  /** `http://localhost:6333`. */
  readonly url: string
  readonly apiKey: string | undefined
  readonly collection: string
  /** Which of the collection's dense vectors; undefined: the only one. */
  readonly vector: string | undefined
  /** Whether the collection has `concordance_words`, or is to be made with it. */
  readonly hasWords: boolean
}

/** What Qdrant wraps its answers in. */
export interface Answer<T> {
  readonly result: T
}

/** What one request needs to know of the collection. */
export interface Access {
  readonly name: string
  readonly path: string
  readonly call: JsonCall
  /** Null where there is no such collection. */
  vectorsOf(at: IndexCall): Promise<QdrantVectors | null>
  forget(): void
}

/** Opens the way to a collection; what is known of it is forgotten with the first failure. */
export function openAccess({ url, apiKey, collection, vector }: QdrantOptions): Access {
  const baseUrl = placeOfUrl(url)
  const name = `Qdrant's collection ${collection} at ${baseUrl}`
  const client = createJsonClient({
    name,
    baseUrl,
    headers: apiKey === undefined ? {} : { "api-key": apiKey },
    keySetting: "QDRANT_API_KEY",
  })
  const path = `/collections/${pathSegment(collection)}`
  let known: QdrantVectors | null = null
  const forget = () => {
    known = null
  }
  const call: JsonCall = async (method, at, body, signal, missing) => {
    try {
      return await callIndex(name, signal, () => client(method, at, body, signal, missing))
    } catch (error) {
      forget()
      throw error
    }
  }
  return {
    name,
    path,
    call,
    forget,
    async vectorsOf({ signal }) {
      if (known) return known
      const found = await call<Answer<QdrantCollection>>("GET", path, undefined, signal, [404])
      known = found && chooseVector(found.result, vector, name)
      return known
    },
  }
}
