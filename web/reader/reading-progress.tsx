import type { DocumentDetails } from "../../lib/documents/documents.ts"

/** How far a file that is being read is, or why it came to nothing. */
export function ReadingProgress({ document }: { readonly document: DocumentDetails }) {
  const { status, error, chunks, progress } = document
  const isServed = chunks > 0
  if (status === "ready") return null
  if (status === "failed") {
    return (
      <section class="document-state document-failed" role="alert">
        <p>
          <strong>{isServed ? "Its newer version couldn't be read." : "It couldn't be read."}</strong> {error?.message}
        </p>
        <p>
          {isServed ? "What you see is the version before. " : ""}
          <a href="/library">Upload it again in the library</a>
        </p>
      </section>
    )
  }
  return (
    <section class="document-state" aria-label="Progress">
      <p role="status">
        {progressInWords(document)}
        {isServed && " Until then this is the version before."}
      </p>
      {progress && <progress max={progress.total} value={progress.done} aria-label="How far it is" />}
    </section>
  )
}

function progressInWords({ status, progress }: DocumentDetails): string {
  if (status === "queued" || !progress) return "It waits to be read."
  const { pages } = progress
  if (!pages || pages.total === 0) return "It is being read."
  if (pages.done < pages.total) return `It is being read: page ${pages.done} of ${pages.total} is done.`
  return `All ${pages.total} pages are read; now its passages are made findable.`
}
