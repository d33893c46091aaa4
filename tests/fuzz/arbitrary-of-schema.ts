import fc from "fast-check"

/** JSON Schema, as the contract has it. */
export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | Schema
  readonly items?: Schema
  readonly minItems?: number
  readonly maxItems?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
}

/** What a value is made with. */
export interface Making {
  readonly components: Readonly<Record<string, Schema>>
  /** Real values by the name of their property. */
  readonly known: Readonly<Record<string, readonly string[]>>
  /** Whether values beyond the schema's bounds are made too. */
  readonly isWild: boolean
}

/** Optional properties that refuse the request unless they fit another one, or an earlier answer: made in wild requests only. */
const FITTING = new Set(["cursor", "embedding", "embedding_model", "dimensions", "parent", "regions"])
/** Of these exactly one is taken. */
const EITHER: readonly (readonly [string, string])[] = [
  ["question", "messages"],
  ["content", "chunks"],
  ["chunk", "bbox"],
]

/** Longest text that is made often: the model reads it. */
const CHARS = 60
/** Largest number of a request as it should be: each passage more of a `top_k` takes the reranker 20 ms. */
const WHOLE_MAX = 20
/** Texts that have broken programs: NUL, lone surrogates, combining marks, other scripts, SQL, paths, templates. */
const ODD = [
  ...[
    "",
    " ",
    "\u0000",
    "\ud800",
    "\udc00x",
    "\ufeff",
    "\u202e",
    "é",
    "e\u0301",
    "ﬁ",
    "İ",
    "ß",
    "𝔘𝔫𝔦",
    "👩‍👩‍👧",
    "中文搜索",
    "ألف",
  ],
  ...[
    "'",
    "' or 1=1 --",
    '"',
    '"unclosed',
    "\\",
    "%",
    "%00",
    "_",
    "$1",
    `${"$"}{x}`,
    "{{x}}",
    "../../etc/passwd",
    "a/b",
    "a#b",
    "?x=1",
  ],
  ...[
    "-",
    "-word",
    '"a phrase" -not',
    "& | ! ( ) :*",
    "a:*b",
    "<->",
    "NaN",
    "null",
    "true",
    "1e999",
    "__proto__",
    "constructor",
    "*",
  ],
  ...["a".repeat(300), "\u0301".repeat(200), "(".repeat(200), '"a" '.repeat(60), "-a ".repeat(100)],
]

/** Any JSON at all, small. */
export const anyJson: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(null, true, 0, -1, 1.5, 1e308, -0, 2 ** 53, "", [], {}, [[]], [null], { a: {} }),
  fc.constantFrom<unknown>(...ODD),
  fc.jsonValue({ maxDepth: 3 }),
  fc.integer({ min: 60, max: 70 }).map((depth) => nested(depth)),
)

/** Text, often odd. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...ODD),
  fc.string({ unit: "binary", maxLength: CHARS }),
  fc.string({ unit: "grapheme", maxLength: CHARS }),
  fc.constantFrom("harbour", "ice house", "sal", "who built the ice house?", "um barco no cais"),
)

/** Whatever it is, as bytes of a URL: a lone surrogate goes as the three bytes that some programs make of it. */
export function encoded(text: string): string {
  return [...text]
    .map((character) =>
      /[\ud800-\udfff]/.test(character) && character.length === 1 ? "%ED%A0%80" : encodeURIComponent(character),
    )
    .join("")
}

function nested(depth: number): unknown {
  let value: unknown = 1
  for (let level = 0; level < depth; level++) value = { a: value }
  return value
}

/** Values of a schema; where they may be wild, at its bounds and a step beyond among them, so that many are refused. */
export function arbitraryOf(schema: Schema, making: Making, name = "", depth = 0): fc.Arbitrary<unknown> {
  const within = (inner: Schema, of = name) => arbitraryOf(inner, making, of, depth + 1)
  if (depth > 8) return fc.constant(null)
  if (schema.$ref !== undefined) return within(making.components[schema.$ref.split("/").at(-1) ?? ""] ?? {})
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (schema.enum) return fc.constantFrom(...schema.enum)
  const choices = schema.anyOf ?? schema.oneOf ?? schema.allOf
  if (choices) return fc.oneof(...choices.map((each) => within(each)))
  const type = typeof schema.type === "string" ? schema.type : schema.type?.[0]
  const known = making.known[name] ?? []
  if (type === "string") return making.isWild ? wildText(schema, known) : tameText(schema, known)
  if (type === "integer" || type === "number") return numberOf(schema, type === "integer", making.isWild)
  if (type === "boolean") return fc.boolean()
  if (type === "null") return fc.constant(null)
  if (type === "array") {
    const { minItems = 0, maxItems = 6 } = schema
    return fc.array(within(schema.items ?? {}), {
      minLength: minItems,
      maxLength: Math.max(minItems, Math.min(maxItems, 4)),
    })
  }
  if (type === "object") return objectOf(schema, within, making.isWild)
  return anyJson
}

function objectOf(
  schema: Schema,
  within: (inner: Schema, of: string) => fc.Arbitrary<unknown>,
  isWild: boolean,
): fc.Arbitrary<unknown> {
  const { properties = {}, required = [], additionalProperties } = schema
  const made = recordOf(properties, required, within, isWild)
  if (typeof additionalProperties !== "object" || Object.keys(properties).length > 0) return made
  return fc.dictionary(
    fc.oneof(
      isWild ? anyText : fc.string({ minLength: 1, maxLength: 8 }),
      fc.constantFrom("kind", "year", "$kind", "$document_id", "eq", "in"),
    ),
    within(additionalProperties, ""),
    { maxKeys: 3 },
  )
}

/** Some named values, the required ones always; where they may not be wild, one of those that exclude each other. */
export function recordOf(
  named: Readonly<Record<string, Schema>>,
  required: readonly string[],
  within: (schema: Schema, name: string) => fc.Arbitrary<unknown>,
  isWild: boolean,
): fc.Arbitrary<Record<string, unknown>> {
  const wanted = Object.entries(named).filter(([name]) => isWild || !FITTING.has(name))
  const model = Object.fromEntries(wanted.map(([name, schema]) => [name, within(schema, name)]))
  if (isWild) return fc.record(model, { requiredKeys: [...required] })
  const pairs = EITHER.filter((pair) => pair.every((name) => name in model))
  return fc
    .tuple(fc.record(model, { requiredKeys: [...required, ...pairs.flat()] }), fc.boolean())
    .map(([made, isFirst]) => {
      const left = new Set(pairs.map(([one, two]) => (isFirst ? two : one)))
      return Object.fromEntries(Object.entries(made).filter(([name]) => !left.has(name)))
    })
}

function tameText(
  { minLength = 0, maxLength = CHARS, pattern }: Schema,
  known: readonly string[],
): fc.Arbitrary<string> {
  const bounds = { minLength, maxLength: Math.max(minLength, Math.min(CHARS, maxLength)) }
  const made = pattern === undefined ? fc.string({ unit: "grapheme", ...bounds }) : matching(pattern)
  if (known.length > 0)
    return fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...known) }, { weight: 1, arbitrary: made })
  return made
}

/** A pattern that can't be turned round makes any text. */
function matching(pattern: string): fc.Arbitrary<string> {
  try {
    return fc.stringMatching(new RegExp(pattern), { size: "small" })
  } catch {
    return anyText
  }
}

function wildText({ minLength = 0, maxLength, pattern }: Schema, known: readonly string[]): fc.Arbitrary<string> {
  const others: fc.Arbitrary<string>[] = [anyText]
  if (known.length > 0) others.push(fc.constantFrom(...known), fc.constantFrom(...known))
  if (maxLength !== undefined && maxLength < 20_000)
    others.push(fc.constantFrom("b".repeat(maxLength), "b".repeat(maxLength + 1)))
  if (minLength > 0) others.push(fc.constant("b".repeat(minLength)))
  if (pattern !== undefined) others.push(matching(pattern))
  return fc.oneof(...others)
}

function numberOf(
  { minimum = -10, maximum = 1_000 }: Schema,
  isInteger: boolean,
  isWild: boolean,
): fc.Arbitrary<number> {
  const [low, high] = [Math.max(minimum, -1e6), Math.min(maximum, isWild ? 1e6 : Math.max(minimum, WHOLE_MAX))]
  const bounds = fc.constantFrom(minimum, maximum, minimum - 1, maximum + 1, 0.5, 1e308, -0)
  const inside = isInteger
    ? fc.integer({ min: Math.ceil(low), max: Math.floor(high) })
    : fc.double({ min: low, max: high, noNaN: true })
  return isWild ? fc.oneof({ weight: 3, arbitrary: inside }, { weight: 1, arbitrary: bounds }) : inside
}
