import type { DocumentSummary } from "../../lib/documents/documents.ts"
import type { Resource } from "../api/use-resource.ts"
import { countOf, languageName } from "../parts/format.ts"
import { readerPath } from "../parts/paths.ts"
import { Failure } from "../parts/states.tsx"
import { Proof } from "./proof.tsx"
import { PROVEN, SAMPLE_QUESTIONS } from "./sample-questions.ts"
import { addressOf, NOTHING_ASKED } from "./search-address.ts"
import type { DocumentList } from "./use-documents.ts"

/** Documents that a collection of one's own is shown by. */
const SHOWN_MAX = 6

/** What is said over the box before anything was asked. */
export function Welcome() {
  return (
    <header class="welcome">
      <h1>Find the passage. See it on its page.</h1>
      <p>
        Ask in your own words. Concordance searches your documents by what they mean and by the words they use, and
        shows each passage where it stands, ready to cite.
      </p>
    </header>
  )
}

/** What there is to begin with: questions that the samples answer, or what else the collection holds. */
export function Beginnings({ library }: { readonly library: Resource<DocumentList> }) {
  const { value, failure, reload } = library
  if (failure) return <Failure failure={failure} retry={reload} />
  // Room for what comes, so that nothing jumps.
  if (!value) return <div class="beginnings-room" />
  const ready = value.documents.filter(({ chunks }) => chunks > 0)
  if (ready.length === 0) return <EmptyLibrary isWorking={value.documents.length > 0} />
  const ids = new Set(ready.map(({ id }) => id))
  const questions = SAMPLE_QUESTIONS.filter(({ document }) => ids.has(document))
  return (
    <>
      {questions.length > 0 ? <Questions questions={questions} /> : <SomeDocuments documents={ready} />}
      {isProven(value) && (
        <div class="proofs">
          {PROVEN.filter(({ document }) => ids.has(document)).map((proven) => (
            <Proof key={proven.document} proven={proven} />
          ))}
        </div>
      )}
      <Holdings documents={ready} isWhole={value.isWhole} hasSamples={questions.length > 0} />
    </>
  )
}

/** Whether a document is there whose page is shown beside the box. */
export function isProven(list: DocumentList | undefined): boolean {
  const ids = new Set((list?.documents ?? []).filter(({ chunks }) => chunks > 0).map(({ id }) => id))
  return PROVEN.some(({ document }) => ids.has(document))
}

function Questions({ questions }: { readonly questions: typeof SAMPLE_QUESTIONS }) {
  return (
    <section class="questions" aria-labelledby="questions-title">
      <h2 id="questions-title">Try one of these</h2>
      <ul>
        {questions.map(({ question, language, shows }) => (
          <li key={question}>
            <a href={addressOf({ ...NOTHING_ASKED, question })}>
              <span class="question" lang={language}>
                {question}
              </span>
              <small>{shows}</small>
            </a>
          </li>
        ))}
      </ul>
    </section>
  )
}

function SomeDocuments({ documents }: { readonly documents: readonly DocumentSummary[] }) {
  return (
    <section class="questions" aria-labelledby="some-title">
      <h2 id="some-title">In this library</h2>
      <ul>
        {documents.slice(0, SHOWN_MAX).map(({ id, title, page_count, languages }) => (
          <li key={id}>
            <a href={readerPath({ documentId: id })}>
              <span class="question" dir="auto">
                {title.trim() || id}
              </span>
              <small>
                {[page_count && countOf(page_count, "page"), ...languages.map(languageName)]
                  .filter(Boolean)
                  .join(" · ")}
              </small>
            </a>
          </li>
        ))}
      </ul>
    </section>
  )
}

function Holdings({
  documents,
  isWhole,
  hasSamples,
}: {
  readonly documents: readonly DocumentSummary[]
  readonly isWhole: boolean
  readonly hasSamples: boolean
}) {
  const languages = [...new Set(documents.flatMap((document) => document.languages))].sort().map(languageName)
  return (
    <p class="landing-holdings">
      {documents.length === 1 && isWhole
        ? "One document"
        : `${isWhole ? "" : "More than "}${documents.length} documents`}{" "}
      in {new Intl.ListFormat("en").format(languages)}.{" "}
      {hasSamples && "The samples tell of an invented harbour and its archive. "}
      <a href="/library">{hasSamples ? "Add documents of your own" : "See the library"}</a>
    </p>
  )
}

function EmptyLibrary({ isWorking }: { readonly isWorking: boolean }) {
  return (
    <section class="notice">
      <h2>{isWorking ? "The first documents are being read" : "Your library is empty"}</h2>
      <p>
        {isWorking
          ? "They can be searched as soon as they are done."
          : "Add a PDF, a Word file, a scan or a page of text, and search it a moment later."}
      </p>
      <p class="notice-actions">
        <a class="button button-primary" href="/library">
          {isWorking ? "See how far they are" : "Add documents"}
        </a>
      </p>
      {!isWorking && (
        <p class="notice-fine">
          Only looking around? A server with a new home loads its samples by itself:{" "}
          <code>CONCORDANCE_HOME=/tmp/tour npm start</code>
        </p>
      )}
    </section>
  )
}
