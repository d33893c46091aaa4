import type { WeaviateProperty } from "../../lib/indexes/weaviate/weaviate-class.ts"
import { dot, normalized } from "../../lib/vector.ts"
import { textOf } from "./stub-server.ts"
import { tokensOf, type WeaviateObject, wordsOf } from "./stub-weaviate-filter.ts"
import { EnumName } from "./stub-weaviate-query.ts"

type Json = Record<string, unknown>

export interface Hit {
  readonly object: WeaviateObject
  readonly distance?: number
  readonly score?: number
}

/** What a search needs to know of the class. */
export interface Searched {
  readonly properties: ReadonlyMap<string, WeaviateProperty>
  /** Distance by the vector's name; a nameless one by ``. */
  readonly distances: ReadonlyMap<string, string>
}

function only(args: Json, known: readonly string[]): void {
  for (const key of Object.keys(args)) if (!known.includes(key)) throw new Error(`Unknown field "${key}"`)
}

/** Which vector a search is by: the only one, or the one that is named. */
function target(args: Json, { distances }: Searched): string {
  const [name] = (args["targetVectors"] as string[] | undefined) ?? [
    distances.size === 1 ? [...distances.keys()][0] : undefined,
  ]
  if (name === undefined || !distances.has(name)) throw new Error("vector not found, or several and none is named")
  return name
}

/** Nearest first, exactly. */
export function nearest(objects: readonly WeaviateObject[], args: Json, searched: Searched): Hit[] {
  only(args, ["vector", "targetVectors", "distance", "certainty"])
  const name = target(args, searched)
  const question = args["vector"] as number[]
  const hits = objects.flatMap((object) => {
    const vector = object.vectors.get(name)
    if (!vector) return []
    if (vector.length !== question.length)
      throw new Error(`vector lengths don't match: ${question.length} vs ${vector.length}`)
    return [{ object, distance: distanceOf(searched.distances.get(name), question, vector) }]
  })
  return hits.sort((a, b) => a.distance - b.distance)
}

function distanceOf(metric: string | undefined, a: readonly number[], b: readonly number[]): number {
  if (metric === "dot") return -dot(a, b)
  if (metric === "l2-squared") return a.reduce((sum, value, i) => sum + (value - (b[i] as number)) ** 2, 0)
  return 1 - dot(normalized(a), normalized(b))
}

/** BM25 (k1 = 1.2, b = 0.75) of each property, summed by their weights. */
export function bm25(objects: readonly WeaviateObject[], args: Json, { properties }: Searched): Hit[] {
  only(args, ["query", "properties"])
  const searchable = [...properties.values()].filter(
    ({ dataType, indexSearchable }) => /^text/.test(dataType[0] ?? "") && indexSearchable !== false,
  )
  const weighted = ((args["properties"] as string[] | undefined) ?? searchable.map(({ name }) => name)).map((one) => {
    const [name = "", weight = "1"] = one.split("^")
    const property = searchable.find((known) => known.name === name)
    if (!property) throw new Error(`property ${name} isn't searchable`)
    return { property, weight: Number(weight) }
  })
  const scores = new Map<WeaviateObject, number>()
  for (const { property, weight } of weighted) {
    const documents = objects.map((object) =>
      [object.properties[property.name] ?? ""].flat().flatMap((text) => tokensOf(textOf(text), property.tokenization)),
    )
    const average = documents.reduce((sum, { length }) => sum + length, 0) / Math.max(1, documents.length)
    for (const word of new Set(wordsOf(String(args["query"]), property.tokenization))) {
      const counts = documents.map((tokens) => tokens.filter((token) => token === word).length)
      const n = counts.filter((count) => count > 0).length
      const idf = Math.log(1 + (objects.length - n + 0.5) / (n + 0.5))
      for (const [i, count] of counts.entries()) {
        if (count === 0) continue
        const length = (documents[i] as string[]).length
        const score = (idf * weight * count * 2.2) / (count + 1.2 * (0.25 + (0.75 * length) / average))
        const object = objects[i] as WeaviateObject
        scores.set(object, (scores.get(object) ?? 0) + score)
      }
    }
  }
  return [...scores].map(([object, score]) => ({ object, score })).sort((a, b) => b.score - a.score)
}

/** Ranked fusion as Weaviate has it: alpha and what is left of 1, each by 1 / (60 + rank). */
export function hybrid(objects: readonly WeaviateObject[], args: Json, searched: Searched): Hit[] {
  only(args, ["query", "vector", "alpha", "fusionType", "properties", "targetVectors"])
  const { query, vector, alpha = 0.75, fusionType, properties, targetVectors } = args
  if (!(fusionType instanceof EnumName) || fusionType.name !== "rankedFusion")
    throw new Error("this stub fuses by rankedFusion")
  const dense = nearest(objects, { vector, ...(targetVectors !== undefined && { targetVectors }) }, searched)
  const lexical = bm25(objects, { query, ...(properties !== undefined && { properties }) }, searched)
  const scores = new Map<WeaviateObject, number>()
  for (const [list, weight] of [
    [dense, Number(alpha)],
    [lexical, 1 - Number(alpha)],
  ] as const)
    for (const [rank, { object }] of list.entries())
      scores.set(object, (scores.get(object) ?? 0) + weight / (60 + rank))
  return [...scores].map(([object, score]) => ({ object, score })).sort((a, b) => b.score - a.score)
}
