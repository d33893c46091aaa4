import type { DocumentSummary } from "../../lib/documents/documents.ts"
import { DocumentRow } from "./document-row.tsx"

interface DocumentTableProps {
  readonly documents: readonly DocumentSummary[]
  readonly onDelete: (document: DocumentSummary) => void
}

/** The catalogue. On a phone the figures stand under the title. */
export function DocumentTable({ documents, onDelete }: DocumentTableProps) {
  return (
    <table class="documents">
      <caption class="visually-hidden">Documents in order of their id</caption>
      <thead>
        <tr>
          <th scope="col">Document</th>
          <th scope="col" class="figure wide">
            Pages
          </th>
          <th scope="col" class="figure wide">
            Passages
          </th>
          <th scope="col" class="wide">
            Languages
          </th>
          <th scope="col" class="wide">
            Changed
          </th>
          <th scope="col">
            <span class="visually-hidden">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {documents.map((document) => (
          <DocumentRow key={document.id} document={document} onDelete={onDelete} />
        ))}
      </tbody>
    </table>
  )
}
