import { useEffect } from "preact/hooks"
import type { DocumentDetails } from "../../lib/documents/documents.ts"
import { type Resource, useResource } from "../api/use-resource.ts"
import { loadDocument } from "./document-api.ts"

/** How often a document that is being read is asked how far it is, ms. */
const ASK_MS = 2_000

/** A document, kept up with while its file is being read. */
export function useDocument(id: string): Resource<DocumentDetails> {
  const resource = useResource([id] as const, loadDocument)
  const { value, reload, state } = resource
  const isUnderway = value?.status === "queued" || value?.status === "processing"
  useEffect(() => {
    if (!isUnderway || state === "loading") return
    const timer = setTimeout(reload, ASK_MS)
    return () => clearTimeout(timer)
  }, [value, isUnderway, state])
  return resource
}
