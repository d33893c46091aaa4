/** What tests/serve-room.ts opens once for all tests here. */
export interface Provided {
  /** Where the reading room is open to this machine. */
  readonly origin: string
  /** Where the same documents are behind a key. */
  readonly keyedOrigin: string
  readonly key: string
  /** Where Chromium listens. */
  readonly browser: string
}

declare module "vitest" {
  interface ProvidedContext extends Provided {}
}
