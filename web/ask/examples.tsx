import type { DocumentPage } from "../../lib/documents/documents.ts"
import { call } from "../api/call.ts"
import { useResource } from "../api/use-resource.ts"
import { Empty, Failure } from "../parts/states.tsx"

/** Questions that the samples answer, each with the document that does, and one that they don't. */
const QUESTIONS = [
  { question: "Who were the crew of the Andorinha?", document: "andorinha-inquiry-1934" },
  { question: "How much paraffin does the lamp burn on a winter night?", document: "en/lighthouse-keeper-orders-1911" },
  { question: "How many tonnes of ice were sold in 1936?", document: "en/ice-house-report-1936" },
  { question: "Quanto aguenta a prancha do cais?", document: "pt/edital-do-sal-1949" },
  { question: "Who invented the telephone?", document: "en/cable-station-history", aside: "they don't say" },
] as const

/** Most that one page of the list holds; the samples are fewer. */
const LIMIT = 200

/** What might be asked, where the documents are the samples; where there are none at all, how to get some. */
export function Examples({ begin }: { readonly begin: (question: string) => void }) {
  const { value, failure, reload } = useResource([LIMIT], (signal, limit) =>
    call<DocumentPage>("/documents", { query: { limit }, signal }),
  )
  if (failure) return <Failure failure={failure} retry={reload} />
  if (value?.documents.length === 0) {
    return (
      <Empty title="There is nothing to ask yet">
        <p>
          The collection is empty. <a href="/library">Add documents in the library</a>, then come back.
        </p>
      </Empty>
    )
  }
  const held = new Set(value?.documents.map(({ id }) => id))
  const shown = QUESTIONS.filter(({ document }) => held.has(document))
  if (shown.length === 0) return null
  return (
    <section class="examples" aria-labelledby="examples-title">
      <h2 id="examples-title">What these documents can be asked</h2>
      <ul>
        {shown.map((example) => (
          <li key={example.question}>
            <button type="button" class="example" onClick={() => begin(example.question)}>
              {example.question} {"aside" in example && <small>{example.aside}</small>}
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}
