/** A request as it goes over the wire, but for its key. */
export interface WireRequest {
  readonly method: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  /** Made anew for each time that it is sent. */
  readonly body?: () => string | FormData
}

/** One attempt to reach what is another tenant's. */
export interface Probe {
  /** What is asked, for whoever reads a failure. */
  readonly label: string
  /** The route, or the tool, that it belongs to. */
  readonly target: string
  readonly request: WireRequest
  /** The same for what nobody has, whose answer must be the same; null where the answer follows from the words. */
  readonly twin: WireRequest | null
  /** All that the request says, which its answer may repeat, and all that its twin says. */
  readonly sent: readonly string[]
  readonly twinSent: readonly string[]
  /** Whether the tenant's documents may change by it. */
  readonly writes: boolean
}
