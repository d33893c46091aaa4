import { useEffect } from "preact/hooks"
import type { ChunkDetails } from "../../lib/documents/page-details.ts"
import { languageName } from "../parts/format.ts"
import { useReaderRoom } from "./reader-room.ts"

/** Which language stands on which side. */
export function LanguageHeads({ chunks }: { readonly chunks: readonly ChunkDetails[] }) {
  const room = useReaderRoom()
  const { language } = room.place.value
  const bilingual = chunks.find(({ translation }) => translation !== undefined)
  const isBilingual = bilingual !== undefined
  useEffect(() => {
    if (isBilingual) room.isBilingual.value = true
  }, [isBilingual])
  if (!bilingual?.translation || language !== "both") return null
  return (
    <p class="language-heads" aria-hidden="true">
      <span>{languageName(bilingual.language)}, original</span>
      <span>{languageName(bilingual.translation.language)}, translation</span>
    </p>
  )
}
