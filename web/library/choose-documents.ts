import type { DocumentSummary } from "../../lib/documents/documents.ts"
import { languageName } from "../parts/format.ts"

/** Which documents are listed. */
export const SHOWN = ["all", "reading", "failed"] as const
export type Shown = (typeof SHOWN)[number]

/** What the address says of the list. */
export interface Choice {
  readonly text: string
  readonly shown: Shown
}

/** The choice that a query string holds. */
export function choiceFrom(search: string): Choice {
  const query = new URLSearchParams(search)
  const shown = SHOWN.find((one) => one === query.get("show")) ?? "all"
  return { text: query.get("q") ?? "", shown }
}

/** The query string of a choice; "" for that of the beginning. */
export function searchOf({ text, shown }: Choice): string {
  const query = new URLSearchParams({ ...(text !== "" && { q: text }), ...(shown !== "all" && { show: shown }) })
  return query.size === 0 ? "" : `?${query}`
}

/** Those that have every word in title, id or languages, whatever its case and accents. */
export function chooseDocuments(documents: readonly DocumentSummary[], { text, shown }: Choice): DocumentSummary[] {
  const words = plain(text).split(/\s+/).filter(Boolean)
  return documents.filter((document) => {
    if (shown !== "all" && shownAs(document) !== shown) return false
    if (words.length === 0) return true
    const { title, id, languages } = document
    const held = plain([title, id, ...languages.map(languageName)].join(" "))
    return words.every((word) => held.includes(word))
  })
}

/** Where a document stands, as the list tells it. */
export function shownAs({ status }: Pick<DocumentSummary, "status">): "ready" | "reading" | "failed" {
  return status === "ready" || status === "failed" ? status : "reading"
}

const plain = (text: string): string =>
  text
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .toLowerCase()
