import type { WeaviateProperty } from "../../lib/indexes/weaviate/weaviate-class.ts"

type Json = Record<string, unknown>

export interface WeaviateObject {
  readonly id: string
  readonly properties: Json
  /** By name; a nameless one by ``. */
  readonly vectors: ReadonlyMap<string, readonly number[]>
}

const STOP_WORDS = new Set(
  "a an and are as at be but by for if in into is it no not of on or such that the their then there these they this to was will with".split(
    " ",
  ),
)

/** A text's tokens, by Weaviate's tokenisations. */
export function tokensOf(text: string, tokenization = "word"): string[] {
  switch (tokenization) {
    case "word":
      return text
        .toLowerCase()
        .split(/[^\p{L}\p{N}]+/u)
        .filter((token) => token !== "")
    case "lowercase":
      return text
        .toLowerCase()
        .split(/\s+/)
        .filter((token) => token !== "")
    case "whitespace":
      return text.split(/\s+/).filter((token) => token !== "")
    case "field":
      return [text.trim()]
    default:
      throw new Error(`tokenization ${tokenization} is not known to this stub`)
  }
}

/** A text's tokens that count: of words, those that aren't stop words. */
export function wordsOf(text: string, tokenization = "word"): string[] {
  const tokens = tokensOf(text, tokenization)
  return tokenization === "word" ? tokens.filter((token) => !STOP_WORDS.has(token)) : tokens
}

/** What Weaviate's `where` means, after its documentation (Filters, Tokenization), computed on one object. Throws for what it doesn't allow. */
export function matchesWeaviate(
  where: Json | undefined,
  object: WeaviateObject,
  properties: ReadonlyMap<string, WeaviateProperty>,
): boolean {
  if (!where) return true
  const operator = String(where["operator"])
  if (operator === "And" || operator === "Or") {
    const results = (where["operands"] as Json[]).map((one) => matchesWeaviate(one, object, properties))
    return operator === "And" ? results.every(Boolean) : results.some(Boolean)
  }
  const [name = "", ...deeper] = where["path"] as string[]
  if (deeper.length > 0) throw new Error("nested properties can't be filtered")
  if (name === "id")
    return ((where["valueTextArray"] as string[] | undefined) ?? [where["valueText"]]).includes(object.id)
  const property = properties.get(name)
  if (!property) throw new Error(`no such prop with name '${name}' found`)
  if (property.indexFilterable === false) throw new Error("Filtering by property requires inverted index")
  const type = (property.dataType[0] ?? "").replace("[]", "")
  const value = where[VALUES[type] ?? ""]
  if (value === undefined) throw new Error(`data type filter cannot use this value on type "${type}"`)
  const stored = object.properties[name]
  if (stored === undefined || stored === null) return false
  return compare(operator, value, [stored].flat(), property, type)
}

const VALUES: Readonly<Record<string, string>> = {
  text: "valueText",
  uuid: "valueText",
  number: "valueNumber",
  int: "valueInt",
  boolean: "valueBoolean",
  date: "valueDate",
}

function compare(
  operator: string,
  value: unknown,
  stored: readonly unknown[],
  { tokenization }: WeaviateProperty,
  type: string,
): boolean {
  if (type === "text" && operator === "Equal") {
    const wanted = wordsOf(String(value), tokenization)
    if (wanted.length === 0) throw new Error("invalid search term, only stopwords provided")
    const there = new Set(stored.flatMap((one) => tokensOf(String(one), tokenization)))
    return wanted.every((token) => there.has(token))
  }
  const sized = type === "date" ? (one: unknown) => Date.parse(String(one)) : (one: unknown) => one as number
  return stored.some((one) => inOrder(operator, sized(one), sized(value)))
}

function inOrder(operator: string, a: unknown, b: unknown): boolean {
  if (operator === "Equal") return a === b
  const [x, y] = [a as number, b as number]
  switch (operator) {
    case "GreaterThan":
      return x > y
    case "GreaterThanEqual":
      return x >= y
    case "LessThan":
      return x < y
    case "LessThanEqual":
      return x <= y
    default:
      throw new Error(`${operator} is not known to this stub`)
  }
}
