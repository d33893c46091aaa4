import { lintSource } from "@secretlint/core"
import { creator as recommended } from "@secretlint/secretlint-rule-preset-recommend"

/** A secret that was found. Never the secret itself: this is printed, and CI keeps what is printed. */
export interface FoundSecret {
  readonly file: string
  readonly line: number
  /** What it looks like: `secretlint-rule-aws`, `concordance-key`. */
  readonly kind: string
}

/** A key of Concordance's own (lib/keys/api-key.ts): `cc_` and 32 random bytes. One of letters that repeat was made up. */
const OWN_KEY = /\bcc_([\w-]{43})(?![\w-])/g
const RANDOM_DISTINCT_MIN = 16

/** Passwords in URLs of tests; as a password anywhere else they are found. */
const MADE_UP = new Set(["hunter2", "secret", "wrong-key", "neon", "p%40ss"])
const IS_TEST = /^tests\/|\.test\.ts$/

/** Secrets in one file: those of secretlint's recommended rules, and keys of our own. */
export async function findSecrets(file: string, content: string): Promise<FoundSecret[]> {
  const { messages } = await lintSource({
    source: { filePath: file, content, contentType: "text", ext: "" },
    options: { config: { rules: [{ id: "@secretlint/secretlint-rule-preset-recommend", rule: recommended }] } },
  })
  const known = messages
    .filter(({ range: [start, end] }) => !(IS_TEST.test(file) && isMadeUp(content.slice(start, end))))
    .map(({ loc, ruleId }) => ({ file, line: loc.start.line, kind: ruleId.replace(/^.*\//, "") }))
  const own = [...content.matchAll(OWN_KEY)]
    .filter(([, random]) => new Set(random).size >= RANDOM_DISTINCT_MIN)
    .map(({ index }) => ({ file, line: content.slice(0, index).split("\n").length, kind: "concordance-key" }))
  return [...known, ...own]
}

function isMadeUp(found: string): boolean {
  const password = /:\/\/[^:/@\s]*:([^@\s]+)@/.exec(found)?.[1] ?? /^[^:@\s]*:([^@\s]+)@?$/.exec(found)?.[1]
  return password !== undefined && MADE_UP.has(password)
}
