/** What stands between the `---` lines at the head of a Markdown file, and the text below them. */
export interface FrontMatter {
  readonly fields: Readonly<Record<string, FrontMatterValue>>
  readonly body: string
}

export type FrontMatterValue = string | number | boolean | null | readonly string[]

const BLOCK = /^---[ \t]*\r?\n([\s\S]*?)(?:^|\r?\n)---[ \t]*(?:\r?\n|$)/
const FIELD = /^([A-Za-z_][\w.-]*):(?:[ \t]+(.*))?$/
const ITEM = /^[ \t]*-[ \t]+(.*)$/

/**
 * Reads front matter that is a flat list of `key: value`, with `[a, b]` or `- a` lines for lists: what note-taking
 * tools write. Anything else of YAML (nesting, block text, anchors) is not understood, and then the whole text is
 * the body, so that nothing is lost.
 */
export function readFrontMatter(text: string): FrontMatter {
  const block = BLOCK.exec(text)
  const fields = block ? readFields((block[1] ?? "").split(/\r?\n/)) : null
  return block && fields ? { fields, body: text.slice(block[0].length) } : { fields: {}, body: text }
}

function readFields(lines: readonly string[]): Record<string, FrontMatterValue> | null {
  const fields = new Map<string, FrontMatterValue>()
  let list: { key: string; items: string[] } | null = null
  for (const line of lines) {
    if (!line.trim() || line.trimStart().startsWith("#")) continue
    const item = ITEM.exec(line)
    if (item && list) {
      list.items.push(String(unquote((item[1] ?? "").trim())))
      fields.set(list.key, list.items)
      continue
    }
    const field = FIELD.exec(line)
    const key = field?.[1]
    const value = (field?.[2] ?? "").trim()
    if (key === undefined || /^[|>&*{!]/.test(value)) return null
    list = value === "" ? { key, items: [] } : null
    fields.set(key, readValue(value))
  }
  return Object.fromEntries(fields)
}

function readValue(value: string): FrontMatterValue {
  if (value === "" || value === "~" || value === "null") return null
  if (value === "true" || value === "false") return value === "true"
  // Only what prints back as it was read is a number: 007 and 1.10 are names.
  if (String(Number(value)) === value && Number.isFinite(Number(value))) return Number(value)
  const list = /^\[(.*)\]$/.exec(value)
  if (!list) return unquote(value)
  const items = list[1] ?? ""
  return items.trim() === "" ? [] : items.split(",").map((item) => unquote(item.trim()))
}

function unquote(value: string): string {
  const quoted = /^"(.*)"$|^'(.*)'$/.exec(value)
  if (quoted) return quoted[1]?.replace(/\\(["\\])/g, "$1") ?? quoted[2]?.replaceAll("''", "'") ?? ""
  return value.replace(/[ \t]+#.*$/, "")
}
