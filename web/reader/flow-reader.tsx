import { useSignal, useSignalEffect } from "@preact/signals"
import { useEffect, useRef, useState } from "preact/hooks"
import type { ChunkList } from "../../lib/documents/page-details.ts"
import { type ApiFailure, asFailure, isAborted } from "../api/api-failure.ts"
import { keysGiven } from "../api/session.ts"
import { Failure, Loading } from "../parts/states.tsx"
import { loadPassages } from "./document-api.ts"
import { LanguageHeads } from "./language-heads.tsx"
import { Passage } from "./passage.tsx"
import { isPartOf, useReaderRoom } from "./reader-room.ts"
import { usePageKeys } from "./use-page-keys.ts"

type Chunks = ChunkList["chunks"]

/** A document without pages: its passages, one below the other, loaded as they are come to. */
export function FlowReader() {
  const room = useReaderRoom()
  const list = useRef<HTMLDivElement>(null)
  const end = useRef<HTMLDivElement>(null)
  const { chunks, failure, isWhole, more } = usePassages(room.documentId)
  const wanted = useSignal<string | null>(null)
  usePageKeys([])
  useSignalEffect(() => {
    wanted.value = room.landing.value.chunkId
  })
  const target = wanted.value
  useEffect(() => {
    if (target === null) return
    if (chunks.some((chunk) => isPartOf(chunk, target))) {
      wanted.value = null
      const passage = list.current?.querySelector<HTMLElement>("[data-passage][data-selected]")
      passage?.scrollIntoView({ block: "center" })
      passage?.focus({ preventScroll: true })
      room.said.value = "The cited passage is shaded"
    } else if (isWhole) {
      wanted.value = null
      room.missing.value = target
    } else void more()
  }, [target, chunks, isWhole])
  useEffect(() => {
    if (!end.current) return
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && void more(), {
      rootMargin: "1200px",
    })
    observer.observe(end.current)
    return () => observer.disconnect()
  }, [chunks, isWhole])
  return (
    <div ref={list} class="reader-flow" data-language={room.place.value.language}>
      <LanguageHeads chunks={chunks} />
      {chunks.map((chunk) => (
        <Passage key={chunk.id} chunk={chunk} />
      ))}
      {failure && <Failure failure={failure} retry={() => void more()} />}
      {!isWhole && !failure && (
        <div ref={end}>
          <Loading what="More of it is loading" lines={5} />
        </div>
      )}
    </div>
  )
}

function usePassages(id: string) {
  const [chunks, setChunks] = useState<Chunks>([])
  const [failure, setFailure] = useState<ApiFailure | null>(null)
  const [isWhole, setWhole] = useState(false)
  const at = useRef<{ cursor?: string | undefined; isBusy: boolean; gone: AbortController }>({
    isBusy: false,
    gone: new AbortController(),
  })
  const more = async () => {
    const { isBusy, gone, cursor } = at.current
    if (isBusy || isWhole) return
    at.current.isBusy = true
    setFailure(null)
    try {
      const list = await loadPassages(gone.signal, id, cursor)
      at.current.cursor = list.next_cursor
      setChunks((before) => [...before, ...list.chunks])
      setWhole(list.next_cursor === undefined)
    } catch (error) {
      if (!isAborted(error)) setFailure(asFailure(error))
    } finally {
      at.current.isBusy = false
    }
  }
  const given = keysGiven.value
  useEffect(() => {
    if (failure) void more()
  }, [given])
  useEffect(() => () => at.current.gone.abort(), [])
  return { chunks, failure, isWhole, more }
}
