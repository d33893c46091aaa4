import type { DocumentDetails } from "../../lib/documents/documents.ts"
import { countOf, languageName } from "../parts/format.ts"
import { Notes } from "../parts/states.tsx"
import { AboutDocument } from "./about-document.tsx"
import { ReadingProgress } from "./reading-progress.tsx"

/** What is open: its title, what it is, and what is to be known before one relies on it. */
export function DocumentHead({ document }: { readonly document: DocumentDetails }) {
  const { title, id, languages, page_count, chunks, warnings = [], mime_type } = document
  const facts = [
    mime_type && formatName(mime_type),
    page_count !== undefined && countOf(page_count, "page"),
    page_count === undefined && chunks > 0 && countOf(chunks, "passage"),
    languages.map(languageName).join(" and "),
  ].filter(Boolean)
  return (
    <header class="document-head">
      <h1 dir="auto">{title || id}</h1>
      <p class="document-facts">{facts.join(" · ")}</p>
      <ReadingProgress document={document} />
      <Notes notes={warnings} />
      <AboutDocument document={document} />
    </header>
  )
}

const FORMATS: Readonly<Record<string, string>> = {
  "application/pdf": "PDF",
  "text/plain": "Plain text",
  "text/markdown": "Markdown",
  "text/html": "Web page",
  "text/csv": "CSV table",
  "application/epub+zip": "EPUB book",
}

function formatName(mimeType: string): string {
  const known = FORMATS[mimeType]
  if (known !== undefined) return known
  if (mimeType.startsWith("image/")) return "Picture"
  if (mimeType.includes("wordprocessing")) return "Word document"
  if (mimeType.includes("spreadsheet")) return "Spreadsheet"
  if (mimeType.includes("presentation")) return "Slides"
  return mimeType
}
