import { type Signal, signal } from "@preact/signals"
import { createContext } from "preact"
import { useContext } from "preact/hooks"
import type { ChunkEntity } from "../../lib/documents/annotations.ts"
import type { ChunkDetails } from "../../lib/documents/page-details.ts"
import { placeOf, placePath, type ReadingPlace } from "./reading-place.ts"

/** Where the reader is asked to go. Each is an object of its own, so that the same place can be gone to twice. */
export interface Landing {
  readonly page: number | null
  readonly chunkId: string | null
}

/** What the parts of one reader share. */
export interface ReaderRoom {
  readonly documentId: string
  /** As the address has it. */
  readonly place: Signal<ReadingPlace>
  readonly landing: Signal<Landing>
  /** Id of the passage that is shaded: a chunk, or a parent of several. */
  readonly selected: Signal<string | null>
  /** Id of the passage under the pointer, or whose region has the focus. */
  readonly pointed: Signal<string | null>
  /** The page before the reader's eyes. */
  readonly page: Signal<number>
  /** The passage that the address names and the document no longer has. */
  readonly missing: Signal<string | null>
  /** Some passage that was seen has a translation. */
  readonly isBilingual: Signal<boolean>
  /** How often what failed was asked for again: all of it at once. */
  readonly retries: Signal<number>
  readonly openedName: Signal<ChunkEntity | null>
  /** Said to those who don't see it. */
  readonly said: Signal<string>
  /** Called before every height changes, while all is still where it was: an effect comes too late. */
  readonly beforeReshaping: { current: () => void }
  /** Shades a passage where it stands, and names it in the address; null shades none. */
  readonly select: (chunkId: string | null, page: number | null) => void
  /** Goes somewhere else in the document, and back again with the browser's Back. */
  readonly go: (landing: Landing) => void
  /** The pages were scrolled to this one. */
  readonly turned: (page: number) => void
  readonly choose: (choice: Partial<Pick<ReadingPlace, "language" | "view">>) => void
  /** Takes up an address that changed by itself: Back, Forward, typed. */
  readonly follow: () => void
}

export function createReaderRoom(documentId: string): ReaderRoom {
  const first = placeOf(new URL(location.href))
  const place = signal(first)
  const landing = signal<Landing>(first)
  const selected = signal(first.chunkId)
  const page = signal(first.page ?? 1)
  const missing = signal<string | null>(null)
  const beforeReshaping = { current: () => {} }
  const write = (change: Partial<ReadingPlace>, how: "pushState" | "replaceState" = "replaceState") => {
    place.value = { ...place.peek(), ...change }
    history[how](null, "", placePath(documentId, place.peek()))
  }
  return {
    documentId,
    place,
    landing,
    selected,
    page,
    missing,
    beforeReshaping,
    pointed: signal(null),
    isBilingual: signal(false),
    retries: signal(0),
    openedName: signal(null),
    said: signal(""),
    select(chunkId, at) {
      selected.value = chunkId
      missing.value = null
      write({ chunkId, ...(chunkId !== null && { page: at }) })
    },
    go(to) {
      write(to, "pushState")
      missing.value = null
      selected.value = to.chunkId
      landing.value = { ...to }
    },
    turned(number) {
      if (place.peek().page !== number) write({ page: number, chunkId: null })
    },
    choose(choice) {
      beforeReshaping.current()
      write(choice)
    },
    follow() {
      const now = placeOf(new URL(location.href))
      const before = place.peek()
      if (now.language !== before.language || now.view !== before.view) beforeReshaping.current()
      place.value = now
      if (now.page === before.page && now.chunkId === before.chunkId) return
      missing.value = null
      selected.value = now.chunkId
      landing.value = { page: now.page, chunkId: now.chunkId }
    },
  }
}

const Room = createContext<ReaderRoom | null>(null)

/** Gives a reader's parts what they share. */
export const ReaderRoomProvider = Room.Provider

/** What the parts of this reader share. */
export function useReaderRoom(): ReaderRoom {
  const room = useContext(Room)
  if (!room) throw new Error("A part of the reader stands outside of it")
  return room
}

/** Whether a passage is the one with this id, or a part of it. */
export function isPartOf({ id, parent_id }: Pick<ChunkDetails, "id" | "parent_id">, chunkId: string | null): boolean {
  return chunkId !== null && (id === chunkId || parent_id === chunkId)
}
