import type { BlockWriter } from "./block-writer.ts"

/** Gathers the items of a list, lists within lists included, into lines of one block. */
export interface ListLines {
  open(ordered: boolean, start: number): void
  close(): void
  /** A new item; `value` is the number that its author gave it. */
  item(value?: string | undefined): void
  /** Adds a paragraph to the item; false outside of lists. */
  add(text: string): boolean
  /** Writes what was gathered; the list goes on after it. */
  write(): void
}

/** A list that is longer becomes several blocks, apart at items of the outermost list. */
const BLOCK_CHARS_MAX = 4_000

interface List {
  readonly ordered: boolean
  next: number
  marker: string
}

/** Lines such as `- item`, `3. item`, two spaces deeper for each list around. */
export function createListLines(writer: BlockWriter): ListLines {
  const open: List[] = []
  let lines: string[] = []
  let chars = 0

  const write = (): void => {
    if (lines.length > 0) writer.text(lines.join("\n"))
    lines = []
    chars = 0
  }
  return {
    open: (ordered, start) => void open.push({ ordered, next: start, marker: "" }),
    close() {
      open.pop()
      if (open.length === 0) write()
    },
    item(value) {
      const list = open.at(-1)
      if (!list) return
      const number = Number.parseInt(value ?? "", 10)
      if (list.ordered && Number.isSafeInteger(number)) list.next = number
      list.marker = list.ordered ? `${list.next++}. ` : "- "
      if (open.length === 1 && chars > BLOCK_CHARS_MAX) write()
    },
    add(text) {
      const list = open.at(-1)
      if (!list) return false
      const indent = "  ".repeat(Math.min(open.length - 1, 8))
      const [first = "", ...rest] = text.split("\n")
      lines.push(`${indent}${list.marker || "  "}${first}`, ...rest.map((line) => `${indent}  ${line}`))
      list.marker = ""
      chars += text.length
      return true
    },
    write,
  }
}
