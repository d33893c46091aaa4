import { dot, normalized } from "../../lib/vector.ts"
import { type Contract, type ContractRequest, openContracts } from "./contract.ts"
import { matchesPinecone } from "./stub-pinecone-filter.ts"
import { type StubAnswer, type StubServer, startStub, textOf } from "./stub-server.ts"

type Json = Record<string, unknown>

interface Stored {
  readonly id: string
  readonly values?: readonly number[]
  readonly sparseValues?: { readonly indices: readonly number[]; readonly values: readonly number[] }
  readonly metadata: Json
}

interface Index {
  /** Null: of sparse vectors. */
  readonly dimension: number | null
  readonly metric: "cosine" | "dotproduct" | "euclidean"
  readonly namespaces: Map<string, Map<string, Stored>>
}

export interface PineconeStub {
  readonly controllerUrl: string
  /** Each index's own server. */
  readonly servers: ReadonlyMap<string, StubServer>
  readonly violations: () => string[]
  close(): Promise<void>
}

const REQUEST_BYTES_MAX = 2_000_000
const METADATA_BYTES_MAX = 40_960

/** Pinecone's planes over exact search in memory: one server an index, and one that says where they are. Their key is `right-key`. */
export async function startPineconeStub(
  indexes: Readonly<Record<string, Pick<Index, "dimension" | "metric">>>,
): Promise<PineconeStub> {
  const start = (contracts: Contract[], handle: (request: ContractRequest) => StubAnswer) =>
    startStub({
      contracts,
      isAllowed: (headers) => headers["api-key"] === "right-key",
      refusal: (status, message) => ({ code: status, message, details: [] }),
      handle,
    })
  const servers = new Map<string, StubServer>()
  for (const [name, { dimension, metric }] of Object.entries(indexes)) {
    const index = { dimension, metric, namespaces: new Map() }
    const contracts = openContracts("pinecone", "pinecone/db_data_2026-04.oas.yaml")
    servers.set(name, await start(contracts, (request) => answer(index, request)))
  }
  const controller = await start(openContracts("pinecone-control", "no published one"), ({ path }) => {
    const name = decodeURIComponent(path.split("/")[2] ?? "")
    const server = servers.get(name)
    if (!server) return { status: 404, body: { status: 404, error: { code: "NOT_FOUND" } } }
    const host = server.url.replace("http://", "")
    return {
      status: 200,
      body: { name, host, metric: indexes[name]?.metric, vector_type: "dense", status: { ready: true } },
    }
  })
  const all = [...servers.values(), controller]
  return {
    controllerUrl: controller.url,
    servers,
    violations: () => all.flatMap(({ violations }) => violations),
    close: async () => void (await Promise.all(all.map((server) => server.close()))),
  }
}

function answer(index: Index, request: ContractRequest): StubAnswer {
  try {
    const body = reply(index, request)
    return body === null ? { status: 404, body: { code: 5, message: "Namespace not found" } } : { status: 200, body }
  } catch (error) {
    return { status: 400, body: { code: 3, message: (error as Error).message } }
  }
}

/** Null: there is no such namespace. */
function reply(index: Index, { method, path, query, body }: ContractRequest): Json | null {
  const { namespaces, dimension, metric } = index
  const asked = (body ?? {}) as Json
  const namespace = textOf(asked["namespace"] ?? query.get("namespace")) || "__default__"
  const records = namespaces.get(namespace)
  switch (`${method} ${path}`) {
    case "POST /describe_index_stats":
      return {
        namespaces: Object.fromEntries([...namespaces].map(([name, { size }]) => [name, { vectorCount: size }])),
        ...(dimension !== null && { dimension }),
        metric,
        vectorType: dimension === null ? "sparse" : "dense",
        totalVectorCount: [...namespaces.values()].reduce((sum, { size }) => sum + size, 0),
      }
    case "POST /vectors/upsert":
      return upsert(index, namespace, asked)
    case "POST /vectors/delete":
      for (const id of asked["ids"] as string[]) records?.delete(id)
      return records ? {} : null
    case "GET /vectors/list": {
      const limit = Number(query.get("limit") ?? 100)
      if (limit < 1 || limit > 100) throw new Error("limit must be from 1 to 100")
      return {
        vectors: [...(records?.keys() ?? [])]
          .toSorted()
          .slice(0, limit)
          .map((id) => ({ id })),
        namespace,
      }
    }
    case "GET /vectors/fetch": {
      const found = query.getAll("ids").flatMap((id) => records?.get(id) ?? [])
      return { vectors: Object.fromEntries(found.map((one) => [one.id, one])), namespace }
    }
    case "POST /query":
      return { matches: nearest(index, [...(records?.values() ?? [])], asked), namespace }
    case "POST /namespaces":
      namespaces.set(String(asked["name"]), namespaces.get(String(asked["name"])) ?? new Map())
      return { name: asked["name"], record_count: 0 }
    default:
      return inNamespace(index, method, decodeURIComponent(path.split("/")[2] ?? ""))
  }
}

function inNamespace({ namespaces }: Index, method: string, name: string): Json | null {
  const records = namespaces.get(name)
  if (!records) return null
  if (method === "DELETE") namespaces.delete(name)
  return method === "DELETE" ? {} : { name, record_count: records.size }
}

function upsert({ dimension, namespaces }: Index, namespace: string, body: Json): Json {
  if (Buffer.byteLength(JSON.stringify(body)) > REQUEST_BYTES_MAX) throw new Error("the request is larger than 2 MB")
  const records = namespaces.get(namespace) ?? new Map<string, Stored>()
  namespaces.set(namespace, records)
  const vectors = body["vectors"] as Stored[]
  for (const vector of vectors) {
    if (!/^[\x20-\x7e]+$/.test(vector.id)) throw new Error("ids are ASCII")
    if (dimension === null ? vector.values || !vector.sparseValues : vector.values?.length !== dimension)
      throw new Error("Vector dimension does not match the index")
    if (vector.values?.every((value) => value === 0))
      throw new Error("Dense vectors must contain at least one non-zero value")
    if (Buffer.byteLength(JSON.stringify(vector.metadata)) > METADATA_BYTES_MAX)
      throw new Error("Metadata size is above 40 kB")
    records.set(vector.id, vector)
  }
  return { upsertedCount: vectors.length }
}

function nearest({ dimension, metric }: Index, records: readonly Stored[], body: Json): Json[] {
  const { vector, sparseVector, topK, includeValues, includeMetadata } = body as {
    vector?: number[]
    sparseVector?: Stored["sparseValues"]
    topK: number
    includeValues?: boolean
    includeMetadata?: boolean
  }
  if ((includeValues || includeMetadata) && topK > 1_000)
    throw new Error("topK is at most 1,000 with values or metadata")
  if (dimension === null ? vector || !sparseVector : vector?.length !== dimension)
    throw new Error("Vector dimension does not match the index")
  const scored = records
    .filter(({ metadata }) => matchesPinecone(body["filter"] as Json | undefined, metadata))
    .map((record) => ({
      record,
      score: vector ? compare(metric, vector, record.values ?? []) : product(sparseVector, record.sparseValues),
    }))
    .filter(({ score }) => vector !== undefined || score > 0)
    .sort((a, b) => (metric === "euclidean" ? a.score - b.score : b.score - a.score))
  return scored.slice(0, topK).map(({ record: { id, values, metadata }, score }) => ({
    id,
    score,
    ...(includeValues && values && { values }),
    ...(includeMetadata && { metadata }),
  }))
}

function compare(metric: Index["metric"], a: readonly number[], b: readonly number[]): number {
  if (metric === "euclidean") return a.reduce((sum, value, i) => sum + (value - (b[i] as number)) ** 2, 0)
  return metric === "cosine" ? dot(normalized(a), normalized(b)) : dot(a, b)
}

function product(a: Stored["sparseValues"], b: Stored["sparseValues"]): number {
  const weights = new Map(b?.indices.map((index, i) => [index, b.values[i] as number]))
  return (a?.indices ?? []).reduce((sum, index, i) => sum + (a?.values[i] as number) * (weights.get(index) ?? 0), 0)
}
