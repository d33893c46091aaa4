/**
 * micromark keeps a dozen objects for each word until the end, 1 GB for a text of 10 MB, and some of its work grows with
 * the square of what it is given: so it gets parts of this size.
 */
const PART_CHARS = 16_000
const FENCE = /^ {0,3}(`{3,}|~{3,})/
/** `[label]: address`; not a footnote's. */
const DEFINITION = /^ {0,3}\[([^\]^[][^\][]{0,200})\]:[ \t]*\S/
const LIST_OR_QUOTE = /^(?:[-*+>]|\d+[.)])(?:\s|$)/

/** A text in parts that can be parsed one by one. */
export interface MarkdownParts {
  readonly parts: readonly string[]
  /** Labels that links may name instead of an address, in lower case; their definitions are in no part. */
  readonly labels: ReadonlySet<string>
}

/**
 * Parts of about 16,000 characters, apart at empty lines before a line that goes on with no list or quote, outside of code
 * fences. Definitions of addresses are taken out, since they may be in another part than their links.
 */
export function splitMarkdown(text: string): MarkdownParts {
  const labels = new Set<string>()
  const parts: string[] = []
  let part: string[] = []
  let chars = 0
  let fence: string | null = null
  let startsBlock = true
  for (const line of text.split("\n")) {
    const label = fence === null && startsBlock ? DEFINITION.exec(line)?.[1] : undefined
    if (label !== undefined) {
      labels.add(labelKey(label))
      continue
    }
    const isApart = startsBlock && /^\S/.test(line) && !LIST_OR_QUOTE.test(line)
    // Without a good place for long, any line will do.
    if ((chars > PART_CHARS && fence === null && isApart) || chars > PART_CHARS * 4) {
      parts.push(part.join("\n"))
      part = fence === null ? [] : [fence]
      chars = 0
    }
    fence = fenceAfter(fence, line)
    part.push(line)
    chars += line.length + 1
    startsBlock = line.trim() === ""
  }
  parts.push(part.join("\n"))
  return { parts: parts.flatMap(cutLong), labels }
}

/** How labels are compared. */
export function labelKey(label: string): string {
  return label.trim().replace(/\s+/g, " ").toLowerCase()
}

/** The open code fence after a line, or null. */
export function fenceAfter(fence: string | null, line: string): string | null {
  const marks = FENCE.exec(line)?.[1]
  if (marks === undefined) return fence
  if (fence === null) return marks
  return marks[0] === fence[0] && marks.length >= fence.length ? null : fence
}

/** A single line of megabytes has no place to cut but between words. */
function cutLong(part: string): string[] {
  if (part.length <= PART_CHARS * 8) return [part]
  const cut: string[] = []
  for (let start = 0; start < part.length; ) {
    const space = part.lastIndexOf(" ", start + PART_CHARS)
    const end = space > start ? space : start + PART_CHARS
    cut.push(part.slice(start, end))
    start = end
  }
  return cut
}
