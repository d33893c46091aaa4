/** What is asked of a synthesis. */
export interface SynthesisRequest {
  readonly stage: string
  readonly secrets: Readonly<Record<string, string>>
  /** Files that are read as if they stood otherwise, to see a check fail. */
  readonly planted?: readonly Planted[]
}

export interface Planted {
  readonly file: string
  readonly from: string
  readonly to: string
}

/** One resource as it would be given to AWS. */
export interface SynthesisedResource {
  readonly type: string
  readonly name: string
  // biome-ignore lint/suspicious/noExplicitAny: whatever the resource takes; a test names what it looks at
  readonly inputs: any
  protect: boolean
  retain: boolean
  /** Names of the resources that must be there before. */
  after: string[]
}

/** A handler that a function names by its path. */
export interface SynthesisedHandler {
  readonly functionName: string
  readonly handler: string
  /** Null while the file doesn't exist: a stub stands in for it. */
  readonly bundleBytes: number | null
  /** What `Resource` holds there, by name. */
  readonly links: Readonly<Record<string, Readonly<Record<string, string>>>>
}

export interface Synthesis {
  readonly app: { readonly name: string; readonly removal: string; readonly protect: boolean }
  readonly resources: readonly SynthesisedResource[]
  readonly handlers: readonly SynthesisedHandler[]
}
