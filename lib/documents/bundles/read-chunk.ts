import { AppError } from "../../errors.ts"
import { fieldProblems, wording } from "../../field-problems.ts"
import { LanguageTag, StorableText, type Translation } from "../../shapes.ts"
import { CHUNK_CHARS_MAX, type GivenChunk } from "../index-request.ts"
import type { BundleProblems } from "./bundle-problem.ts"
import { ChunkFields, regionsOf } from "./bundle-shapes.ts"
import { readYaml } from "./read-yaml.ts"

const FRONT_MATTER = /^---[ \t]*\r?\n([\s\S]*?)(?:^|\r?\n)---[ \t]*(?:\r?\n|$)/
/** Tokens of YAML in one chunk: 200 entities and 200 anomalies take 7,000. */
const TOKENS_MAX = 10_000
const Text = StorableText.min(1).max(CHUNK_CHARS_MAX)

/** One chunk of a bundle. */
export interface BundleChunk {
  /** `c0042`, as its file is named. */
  readonly id: string
  readonly chunk: GivenChunk
  /** Language of the original where none of the texts is in it. */
  readonly missing: string | null
  /** Tokens of YAML that it took. */
  readonly tokens: number
}

/**
 * Reads `chunks/{id}.md`: front matter, and below it the text in the chunk's own language, if it isn't a `text_` field.
 * Notes what is wrong and returns null.
 */
export function readChunk(
  id: string,
  text: string,
  documentLanguage: string | undefined,
  problems: BundleProblems,
): BundleChunk | null {
  const file = `chunks/${id}.md`
  const block = FRONT_MATTER.exec(text)
  if (!block) {
    problems.add(file, "must begin with front matter between two lines of ---")
    return null
  }
  try {
    const { value, tokens } = readYaml(block[1] ?? "", TOKENS_MAX)
    const { fields, texts } = readFields(file, value, problems)
    if (!fields || !texts) return null
    if (fields.id !== undefined && fields.id !== id) throw wrong("id", `must be ${id}, as the file is called`)
    const language = fields.language ?? documentLanguage
    addBody(texts, text.slice(block[0].length).trim(), language)
    return { id, tokens, ...toChunk(fields, texts, language) }
  } catch (error) {
    problems.addError(file, error)
    return null
  }
}

interface Fields {
  readonly fields?: ChunkFields
  /** By language. */
  readonly texts?: Map<string, string>
}

function readFields(file: string, value: unknown, problems: BundleProblems): Fields {
  if (value !== null && (typeof value !== "object" || Array.isArray(value))) {
    throw wrong("front matter", "must be fields, `name: value`")
  }
  // A field without a value is one that isn't there.
  const entries = Object.entries(value ?? {}).filter(([, item]) => item !== null)
  const texts = new Map<string, string>()
  let good = true
  for (const [name, item] of entries.filter(([name]) => name.startsWith("text_"))) {
    const language = LanguageTag.safeParse(name.slice("text_".length), { error: wording })
    const content = Text.safeParse(typeof item === "string" ? item.trim() : item, { error: wording })
    for (const { error } of [language, content]) {
      for (const { message } of fieldProblems(error?.issues ?? [])) problems.add(file, message, name.slice(0, 50))
    }
    if (language.success && content.success) texts.set(language.data, content.data)
    else good = false
  }
  const rest = entries.filter(([name]) => !name.startsWith("text_"))
  const fields = ChunkFields.safeParse(Object.fromEntries(rest), { error: wording })
  if (!fields.success) problems.addIssues(file, fields.error.issues)
  return fields.success && good ? { fields: fields.data, texts } : {}
}

/** The text below the front matter is that of the chunk's own language. */
function addBody(texts: Map<string, string>, body: string, language: string | undefined): void {
  if (body === "") return
  if (language === undefined) throw wrong("language", "is required for the text below the front matter")
  const content = Text.safeParse(body, { error: wording })
  if (!content.success) throw wrong("text below the front matter", content.error.issues[0]?.message ?? "is invalid")
  const given = texts.get(language)
  if (given !== undefined && given !== body) {
    throw wrong(`text_${language}`, "is not the text below the front matter; give one of the two")
  }
  texts.set(language, body)
}

function toChunk(fields: ChunkFields, texts: ReadonlyMap<string, string>, language: string | undefined) {
  if (texts.size === 0) throw wrong("text", "is required: below the front matter, or as text_en, text_pt")
  if (texts.size > 2) throw wrong("text", "must be in two languages at most")
  const all = [...texts].map(([tag, content]): Translation => ({ language: tag, content }))
  const original = all.find((text) => text.language === language) ?? (all[0] as Translation)
  const translation = all.find((text) => text !== original)
  const { kind, anomalies, entities, table } = fields
  const chunk: GivenChunk = {
    content: original.content,
    language: original.language,
    kind,
    regions: regionsOf(fields),
    ...(translation && { translation }),
    anomalies,
    entities,
    metadata: { ...fields.metadata, ...(table !== undefined && { table }) },
  }
  return { chunk, missing: language !== undefined && original.language !== language ? language : null }
}

const wrong = (field: string, message: string): AppError => new AppError("invalid_request", `${field}: ${message}`)
