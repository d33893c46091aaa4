import { stat } from "node:fs/promises"
import { join } from "node:path"
import { listFolder, type OnSkip, type TextFile } from "../read-folder.ts"

/** Characters that make a path a pattern. */
const PATTERN = /[*?{[]/

/**
 * The files that a path names: one file, a folder with all below it, or a pattern (`*` and `?` within a name, `**` for
 * any folders, `{a,b}`), for shells that leave it as it is. Of any kind: what can't be read says so when it is. Ids and
 * what is skipped are as `listFolder` has them; under a pattern the folder is the part before it. Throws `not_found`.
 */
export async function listFiles(path: string, onSkip: OnSkip = () => {}): Promise<TextFile[]> {
  const isThere = await stat(path).then(
    () => true,
    () => false,
  )
  if (isThere || !PATTERN.test(path)) return listFolder(path, onSkip, () => null)
  const parts = path.split("/")
  const first = parts.findIndex((part) => PATTERN.test(part))
  const folder = first === 0 ? "." : parts.slice(0, first).join("/") || "/"
  const matches = patternToRegExp(parts.slice(first).join("/"))
  const skipped = new Map<string, string>()
  const files = await listFolder(
    folder,
    (name, reason) => skipped.set(name, reason),
    () => null,
  )
  // Only what the pattern asks for is worth a word.
  for (const [name, reason] of skipped) if (matches.test(name)) onSkip(join(folder, name), reason)
  return files.filter(({ name }) => matches.test(name))
}

/** A pattern over paths with forward slashes. */
export function patternToRegExp(pattern: string): RegExp {
  const body = pattern.replace(/\*\*\/|\*\*|\*|\?|\{([^{}/]*)\}|[.+^$()|[\]{}\\]/g, (token, choices?: string) => {
    if (token === "**/") return "(?:[^/]+/)*"
    if (token === "**") return ".*"
    if (token === "*") return "[^/]*"
    if (token === "?") return "[^/]"
    if (choices === undefined) return `\\${token}`
    return `(?:${choices
      .split(",")
      .map((choice) => choice.replace(/[.*+?^$()|[\]\\]/g, "\\$&"))
      .join("|")})`
  })
  return new RegExp(`^${body}$`, "u")
}
