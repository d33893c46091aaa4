import type { SearchResponse } from "../../lib/search/response.ts"
import { call } from "../api/call.ts"
import { useResource } from "../api/use-resource.ts"
import { citedPath } from "../parts/paths.ts"
import { PageThumbnail } from "./page-thumbnail.tsx"
import type { PROVEN } from "./sample-questions.ts"

/** Width of the picture, px: sharp on a screen of nearly two pixels a point. Two of 720 would make the first look 150 kB. */
const PICTURE_PX = 640

/** One question with its answer on the page, searched for as anybody would; nothing where that finds none. */
export function Proof({ proven }: { readonly proven: (typeof PROVEN)[number] }) {
  const { question, document, language, says } = proven
  const found = useResource([question, document], (signal, query, document_id) =>
    call<SearchResponse>("/search", {
      body: { query, filter: { document_id }, strategy: "weighted", top_k: 1 },
      signal,
    }),
  )
  const hit = found.value?.results[0]
  const href = hit && citedPath(hit.citation)
  if (found.state === "failed") return null
  return (
    <figure class="proof">
      <div class="proof-page">{hit && href && <PageThumbnail hit={hit} href={href} width={PICTURE_PX} />}</div>
      <figcaption>
        <q lang={language}>{question}</q>
        {says}
        {hit?.page !== undefined && `, page ${hit.page}`}
      </figcaption>
    </figure>
  )
}
