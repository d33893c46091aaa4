/** What may be said of a file before it is sent; absent fields are left to the server. */
export interface UploadOptions {
  readonly id?: string | undefined
  readonly title?: string | undefined
  readonly language?: string | undefined
  readonly flat?: boolean | undefined
}

/** How far a file is on its way into the library. */
export type UploadState =
  | { readonly stage: "waiting" }
  | { readonly stage: "sending"; readonly sentBytes: number }
  | {
      readonly stage: "reading"
      /** Pages and passages; absent until they are counted. */
      readonly progress?: { readonly done: number; readonly total: number } | undefined
      /** The server has stopped answering: the work goes on there, or not; it is asked again. */
      readonly isOutOfTouch?: boolean
    }
  | {
      readonly stage: "ready"
      readonly title: string
      /** These very bytes were there before. */
      readonly isKnown: boolean
      readonly passages: number
      readonly pages?: number | undefined
      readonly warnings: readonly string[]
    }
  | {
      readonly stage: "failed"
      readonly reason: string
      /** `again`: the same file may do. `another`: it never will. */
      readonly remedy: "again" | "another"
    }

/** One file of this visit. */
export interface Upload {
  readonly key: number
  readonly file: File
  readonly options: UploadOptions
  /** Whose document it becomes; "" leaves it to the key. */
  readonly tenant: string
  /** Of the document, once the server has named it. */
  readonly id?: string | undefined
  /** The file went to a URL of the store: the document is there once the server has noticed. */
  readonly isPut?: boolean
  readonly state: UploadState
}

/** Whether a file still needs this page: what is being read goes on without it. */
export function isOnItsWay({ state }: Upload): boolean {
  return state.stage === "waiting" || state.stage === "sending"
}

/** Codes of what the same bytes will never get past. */
const OF_THE_FILE = /^(document_|invalid_request|payload_too_large|unsupported_media_type)/

/** The state that an error amounts to, whether of sending or of reading. */
export function failedWith({ code, message }: { readonly code: string; readonly message: string }): UploadState {
  return { stage: "failed", reason: message, remedy: OF_THE_FILE.test(code) ? "another" : "again" }
}
