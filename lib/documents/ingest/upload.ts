import * as z from "zod"
import { LanguageTag, StorableText } from "../../shapes.ts"
import { Metadata } from "../index-request.ts"

/** What an uploader may say about a file; it decides, with the bytes, whether an upload is the same as before. */
export const IngestOptions = z.object({
  title: StorableText.max(2_000).optional().describe("In place of the file's own"),
  language: LanguageTag.optional().describe("Of all of it; told for each chunk when absent"),
  metadata: Metadata.default({}),
  flat: z.boolean().default(false).describe("Chunks without parents"),
})
export type IngestOptions = z.output<typeof IngestOptions>

/** A file in the object store, about to become a job. */
export interface Upload {
  readonly key: string
  /** As the uploader calls it; tells only text formats apart and, where nothing else does, gives the title. */
  readonly fileName: string
  readonly bytes: number
  /** Hexadecimal; null where the file came without passing through here. */
  readonly sha256: string | null
  readonly options: IngestOptions
  /** Of the bucket's event that told of it. */
  readonly sequencer?: string | undefined
  /** Which content under the key it is, where the store keeps versions. */
  readonly version?: string | undefined
  /** Of the request that brought it; absent: of the one under way, if any. */
  readonly requestId?: string | undefined
}

/** One job that this process holds. Whoever's `worker` it isn't any more changes nothing. */
export interface HeldJob {
  readonly tenant: string
  readonly documentId: string
  /** Of the document when the upload came; an int8 as text. */
  readonly generation: string
  readonly worker: string
}

/** The work on one upload. */
export interface Job extends HeldJob, Omit<Upload, "sequencer" | "key"> {
  readonly uploadKey: string
}

/** How far a job is, in pages; a file without pages is one. */
export interface IngestProgress {
  readonly done: number
  readonly total: number
}
