import { isAlias, isCollection, isMap, isPair, isScalar, Lexer, type Node, parseDocument } from "yaml"
import { AppError } from "../../errors.ts"

/** Nesting of lists and maps: a chunk's front matter has three levels. */
const DEPTH_MAX = 16
/** Indicators (`- `, `? `, `: `) in a row on one line; of `? ` a few thousand take all memory. */
const INDICATORS_MAX = 8

/** What a text holds, and how many tokens of YAML that took. */
export interface ReadYaml {
  readonly value: unknown
  readonly tokens: number
}

/**
 * Reads YAML 1.2 (core schema) that may be hostile. Its tokens are counted before it is parsed: 128 KB of brackets or
 * commas take the parser 2 to 7 s, 10,000 tokens under .5 s. Aliases, anchors and tags are refused, because a few lines
 * of them stand for gigabytes, and so is a key that comes twice.
 *
 * @throws AppError `invalid_request` with the line, and no word of the text
 */
export function readYaml(text: string, tokensMax: number): ReadYaml {
  if (/^(---|\.\.\.)\s/m.test(`${text}\n`)) throw invalid("holds more than one YAML document")
  const tokens = countTokens(text, tokensMax)
  const document = parseDocument(text, {
    schema: "core",
    merge: false,
    // Checked below: the parser compares each key with all before it.
    uniqueKeys: false,
    logLevel: "silent",
    prettyErrors: false,
  })
  const [error] = document.errors
  if (error) throw invalid(`is not valid YAML (line ${lineOf(text, error.pos[0])})`)
  check(document.contents, 0, text)
  // Maps, since a key may be called `__proto__`.
  return { value: plain(document.toJS({ maxAliasCount: 0, mapAsMap: true })), tokens }
}

/** Throws where the text has more tokens, or a deeper nest, than any front matter. */
function countTokens(text: string, tokensMax: number): number {
  let tokens = 0
  let depth = 0
  let indicators = 0
  for (const token of new Lexer().lex(text)) {
    if (++tokens > tokensMax) throw invalid(`holds more than ${tokensMax} tokens of YAML`)
    if (token === "[" || token === "{") depth++
    else if (token === "]" || token === "}") depth--
    if (/^[-?:]/.test(token) && token.trim().length === 1) indicators++
    else if (token.trim() !== "" || token.includes("\n")) indicators = 0
    if (depth > DEPTH_MAX || indicators > INDICATORS_MAX) throw invalid(`is nested deeper than ${DEPTH_MAX} levels`)
  }
  return tokens
}

function check(node: unknown, depth: number, text: string): void {
  if (isPair(node)) {
    check(node.key, depth, text)
    check(node.value, depth, text)
    return
  }
  const { anchor, tag, range } = (node ?? {}) as Node & { anchor?: string }
  const at = () => `line ${lineOf(text, range?.[0] ?? 0)}`
  if (isAlias(node) || anchor !== undefined) throw invalid(`must not use anchors and aliases (${at()})`)
  if (tag !== undefined) throw invalid(`must not use tags (${at()})`)
  if (!isCollection(node)) return
  if (depth >= DEPTH_MAX) throw invalid(`is nested deeper than ${DEPTH_MAX} levels`)
  if (isMap(node)) {
    const keys = new Set<unknown>()
    for (const { key } of node.items) {
      if (!isScalar(key) || keys.has(key.value)) throw invalid(`has a key twice, or one that is no text (${at()})`)
      keys.add(key.value)
    }
  }
  for (const item of node.items) check(item, depth + 1, text)
}

/** Maps as objects without a prototype's help. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain)
  if (!(value instanceof Map)) return value
  return Object.fromEntries([...value].map(([key, item]) => [String(key), plain(item)]))
}

function lineOf(text: string, offset: number): number {
  let line = 1
  for (let at = text.indexOf("\n"); at !== -1 && at < offset; at = text.indexOf("\n", at + 1)) line++
  return line
}

const invalid = (message: string): AppError => new AppError("invalid_request", message)
