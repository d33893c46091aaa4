import type { SearchRequest } from "../../lib/search/request.ts"
import { isRanking, RANKINGS, type Ranking } from "./rankings.ts"

/** What the passages of a collection can be. */
export const KINDS = ["text", "table", "figure", "heading"] as const
export type Kind = (typeof KINDS)[number]

/** What the address of a search says: all of the view's state that is worth a link. */
export interface SearchAddress {
  /** "" before anything was asked. */
  readonly question: string
  readonly ranking: Ranking
  readonly unit: "document" | "passage"
  /** Ids; none: all. So with the lists that follow. */
  readonly documents: readonly string[]
  readonly kinds: readonly Kind[]
  /** "": any. */
  readonly language: string
  /** "": all passages; "any": those where something is odd; else the kind of oddity. */
  readonly oddity: string
  /** Rankings side by side, two or three; none: one list. */
  readonly compared: readonly Ranking[]
}

/** A search for everything, by the usual ranking. */
export const NOTHING_ASKED: SearchAddress = {
  question: "",
  ranking: "both",
  unit: "document",
  documents: [],
  kinds: [],
  language: "",
  oddity: "",
  compared: [],
}

/** Results of one page. */
const PAGE_RESULTS = 10

/** Most rankings side by side. */
export const COMPARED_MAX = 3

/** What an address says; words in it that mean nothing are left out. */
export function readAddress(url: string): SearchAddress {
  const { searchParams } = new URL(url, "http://here")
  const one = (name: string) => searchParams.get(name) ?? ""
  const compared = [...new Set(one("compare").split(",").filter(isRanking))].slice(0, COMPARED_MAX)
  const ranking = one("rank")
  return {
    question: one("q").trim(),
    ranking: isRanking(ranking) ? ranking : "both",
    unit: one("show") === "passages" ? "passage" : "document",
    documents: unique(searchParams.getAll("doc")),
    kinds: KINDS.filter((kind) => searchParams.getAll("kind").includes(kind)),
    language: one("lang"),
    oddity: one("odd"),
    compared: compared.length > 1 ? compared : [],
  }
}

/** The address that says it; what is usual isn't named. */
export function addressOf(address: SearchAddress): string {
  const parameters = new URLSearchParams()
  const say = (name: string, value: string) => value !== "" && parameters.append(name, value)
  say("q", address.question)
  say("rank", address.ranking === "both" ? "" : address.ranking)
  say("show", address.unit === "passage" ? "passages" : "")
  for (const id of address.documents) say("doc", id)
  for (const kind of address.kinds) say("kind", kind)
  say("lang", address.language)
  say("odd", address.oddity)
  say("compare", address.compared.join(","))
  return parameters.size === 0 ? "/" : `/?${parameters}`
}

/** How many filters an address sets. */
export function filterCount({ documents, kinds, language, oddity }: SearchAddress): number {
  return documents.length + kinds.length + (language === "" ? 0 : 1) + (oddity === "" ? 0 : 1)
}

/** The same search among all passages. */
export function withoutFilters(address: SearchAddress): SearchAddress {
  return { ...address, documents: [], kinds: [], language: "", oddity: "" }
}

/** The body of `POST /search` for an address, by a ranking that may be another than its own. */
export function toRequest(address: SearchAddress, ranking = address.ranking): Partial<SearchRequest> {
  const { documents, kinds, language, oddity } = address
  const filter = {
    ...(documents.length > 0 && { document_id: { in: [...documents] } }),
    ...(kinds.length > 0 && { kind: { in: [...kinds] } }),
    ...(language !== "" && { language }),
    ...(oddity !== "" && { anomaly: oddity === "any" ? { exists: true } : oddity }),
  }
  return {
    query: address.question,
    ...RANKINGS[ranking].request,
    group_by: address.unit === "passage" ? "chunk" : "document",
    top_k: PAGE_RESULTS,
    highlight: true,
    ...(Object.keys(filter).length > 0 && { filter }),
  }
}

function unique(values: readonly string[]): readonly string[] {
  return [...new Set(values)].filter((value) => value !== "")
}
