import { pageOf, readerPath } from "../parts/paths.ts"

/** Which of a passage's two texts are shown. */
export type LanguageChoice = "both" | "original" | "translation"
/** What a phone shows of a page; a wide window shows both. */
export type ViewChoice = "text" | "picture"

/** A place in a document, as the address names it. */
export interface ReadingPlace {
  readonly page: number | null
  readonly chunkId: string | null
  readonly language: LanguageChoice
  readonly view: ViewChoice
}

/** The place that an address of the reader names; what it doesn't say is the standard. */
export function placeOf(url: URL): ReadingPlace {
  const language = url.searchParams.get("lang")
  return {
    page: pageOf(url.pathname.split("/")[3]),
    chunkId: decode(url.hash.slice(1)) || null,
    language: language === "original" || language === "translation" ? language : "both",
    view: url.searchParams.get("view") === "picture" ? "picture" : "text",
  }
}

/** The address of a place. */
export function placePath(documentId: string, { page, chunkId, language, view }: ReadingPlace): string {
  const path = readerPath({
    documentId,
    ...(page !== null && { page }),
    ...(chunkId !== null && { chunkId }),
  })
  const query = new URLSearchParams()
  if (language !== "both") query.set("lang", language)
  if (view !== "text") query.set("view", view)
  const [before = "", hash] = path.split("#")
  return `${before}${query.size > 0 ? `?${query}` : ""}${hash === undefined ? "" : `#${hash}`}`
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
