// Mini, as in all that reads settings: every function does, and a health check reads 15 KB less code than with the classic Zod.
import * as z from "zod/mini"

/** What docs/configuration.md says of a key, and what its error message says it must be. */
export interface KeyFacts {
  readonly group:
    | "Database"
    | "Storage"
    | "Server"
    | "Documents"
    | "Search"
    | "Models"
    | "Language model"
    | "Answers"
    | "External index"
    | "Limits"
    | "Timeouts"
    | "Ignored"
  /** What a value must be: completes "must be …". */
  readonly values: string
  /** What is used when the key is unset, where that is a value. */
  readonly fallback?: string
  /** Older name, read when the key itself is unset. */
  readonly alias?: string
}

/** Where a schema keeps its `KeyFacts`. */
export const keyFacts = z.registry<KeyFacts>()

/** What the maker of a schema can't say by itself. */
type Facts = Omit<KeyFacts, "values" | "fallback">

/** Any schema as a setting, with what there is to say about it. */
export function key<Schema extends z.ZodMiniType>(schema: Schema, facts: KeyFacts): Schema {
  keyFacts.add(schema, facts)
  return schema
}

const wholeWithin = (min: number, max: number) => z.pipe(numberOf(/^\d{1,9}$/), z.int().check(z.gte(min), z.lte(max)))

/** What is written so, as a number. */
const numberOf = (written: RegExp) =>
  z.pipe(
    z.string().check(z.regex(written)),
    z.transform((value: string) => Number(value)),
  )

/** A whole number within bounds, in decimal digits. */
export function whole(min: number, max: number, fallback: number, facts: Facts) {
  const schema = z.prefault(wholeWithin(min, max), String(fallback))
  return key(schema, { ...facts, values: `a whole number from ${min} to ${max}`, fallback: String(fallback) })
}

/** A whole number within bounds that has no default. */
export function optionalWhole(min: number, max: number, facts: Facts) {
  const schema = z.optional(wholeWithin(min, max))
  return key(schema, { ...facts, values: `a whole number from ${min} to ${max}` })
}

/** Of the texts `true` and `false`. */
export const isTrue = () => z.transform((value: "true" | "false") => value === "true")

/** Yes or no, `false` when not given, unless told otherwise. */
export function flag(facts: Facts, fallback: "true" | "false" = "false") {
  const schema = z.pipe(z._default(z.enum(["true", "false"]), fallback), isTrue())
  return key(schema, { ...facts, values: "true or false", fallback })
}

const listed = (value: string) =>
  value
    .split(",")
    .map((each) => each.trim())
    .filter((each) => each !== "")

/** Hosts, or `*.` and what is after the first dot of them; none when not given. `*` alone is no host: it would be everybody's. */
export function hosts(facts: Facts) {
  const isHost = (text: string) =>
    !text.includes("*") && URL.canParse(`https://${text}`) && new URL(`https://${text}`).hostname === text
  const text = z.string().check(
    z.maxLength(4_000),
    z.refine((value: string) => listed(value).every((each) => isHost(each.replace(/^\*\.(?=[^.*]+\.)/, "")))),
  )
  return key(z.pipe(z._default(text, ""), z.transform(listed)), {
    ...facts,
    values: "hosts like hooks.example.org or *.example.org, in lower case, with commas between and without ports",
  })
}

/** Origins as a browser writes them, with commas between; none when not given. `*` is no origin: it would be everybody's. */
export function origins(facts: Facts) {
  const isOrigin = (text: string) => /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text
  const text = z.string().check(
    z.maxLength(4_000),
    z.refine((value: string) => listed(value).every(isOrigin)),
  )
  return key(z.pipe(z._default(text, ""), z.transform(listed)), {
    ...facts,
    values: "origins like https://app.example.org, with commas between and nothing after the host and port",
  })
}

/** A number within bounds, in decimal digits. */
export function decimal(min: number, max: number, fallback: string, facts: Facts) {
  const schema = z.prefault(z.pipe(numberOf(/^\d*\.?\d+$/), z.number().check(z.gte(min), z.lte(max))), fallback)
  return key(schema, { ...facts, values: `a number from ${min} to ${max}`, fallback })
}

/** The same without a default, below 0 too. */
export function optionalDecimal(min: number, max: number, facts: Facts) {
  const schema = z.optional(z.pipe(numberOf(/^-?\d*\.?\d+$/), z.number().check(z.gte(min), z.lte(max))))
  return key(schema, { ...facts, values: `a number from ${min} to ${max}` })
}

/** One of a few words. */
export function choice<const Values extends readonly [string, ...string[]]>(
  values: Values,
  fallback: Values[number],
  facts: Facts,
) {
  const schema = z._default(z.enum(values), fallback as z.core.util.NoUndefined<Values[number]>)
  return key(schema, { ...facts, values: `one of ${values.join(", ")}`, fallback })
}

/** The URL of a database. */
export function postgresUrl(facts: Facts) {
  const schema = z.optional(z.url({ protocol: /^postgres(ql)?$/ }))
  return key(schema, { ...facts, values: "a URL like postgres://user:password@host:5432/database" })
}

/** The URL of a service. */
export function httpUrl(facts: Facts) {
  return key(z.optional(z.url({ protocol: /^https?$/ })), {
    ...facts,
    values: "a URL that starts with http:// or https://",
  })
}

/** The same with a default. */
export function httpUrlOr(fallback: string, facts: Facts) {
  const schema = z._default(z.url({ protocol: /^https?$/ }), fallback)
  return key(schema, { ...facts, values: "a URL that starts with http:// or https://", fallback })
}

/** The name of something, with a default. */
export function nameOr(fallback: string, facts: Facts) {
  return key(z._default(z.string().check(z.maxLength(500)), fallback), {
    ...facts,
    values: "a name of at most 500 characters",
    fallback,
  })
}

/** A short text. */
export function name(facts: Facts) {
  return key(z.optional(z.string().check(z.maxLength(500))), { ...facts, values: "a name of at most 500 characters" })
}

/** A password or key, which no message repeats. */
export function secret(facts: Facts) {
  return key(z.optional(z.string().check(z.maxLength(2_000))), {
    ...facts,
    values: "a secret of at most 2000 characters",
  })
}
