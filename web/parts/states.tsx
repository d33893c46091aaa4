import type { ComponentChildren } from "preact"
import type { ApiFailure } from "../api/api-failure.ts"
import { keyWanted } from "../api/session.ts"

/** Lines where text will stand; what is loading is said to those who don't see it. */
export function Loading({ what, lines = 3 }: { readonly what: string; readonly lines?: number }) {
  return (
    <div class="loading" role="status">
      <span class="visually-hidden">{what}</span>
      {Array.from({ length: lines }, (_, index) => (
        <span key={index} class="loading-line" aria-hidden="true" />
      ))}
    </div>
  )
}

/** What went wrong, what to do about it, and what to tell whoever runs the server. */
export function Failure({ failure, retry }: { readonly failure: ApiFailure; readonly retry?: () => void }) {
  return (
    <section class="notice notice-failure" role="alert">
      <h2>{failure.title}</h2>
      <p class="notice-detail">{failure.message}</p>
      <p class="notice-actions">
        {failure.code === "unauthorized" && (
          <button type="button" class="button" onClick={() => (keyWanted.value = "asked")}>
            Give a key
          </button>
        )}
        {retry && (
          <button type="button" class="button" onClick={retry}>
            Try again
          </button>
        )}
      </p>
      {failure.requestId && (
        <p class="notice-fine">
          Request <code>{failure.requestId}</code> · {failure.code}
        </p>
      )}
    </section>
  )
}

/** Nothing is here, and why, and what can be done. */
export function Empty({ title, children }: { readonly title: string; readonly children?: ComponentChildren }) {
  return (
    <section class="notice">
      <h2>{title}</h2>
      {children}
    </section>
  )
}

/** What an answer had to do without, or what had no effect: shown small, never hidden. */
export function Notes({ notes }: { readonly notes: readonly string[] }) {
  if (notes.length === 0) return null
  return (
    <ul class="notes">
      {notes.map((note) => (
        <li key={note}>{note}</li>
      ))}
    </ul>
  )
}
