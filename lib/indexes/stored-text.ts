/** Where a payload has the text of a record that Concordance wrote. Nobody else's name, so that foreign payloads stay as they are. */
export const TEXT_KEY = "concordance_text"

/** A payload as the engine has it, and what stood in it beside the caller's. */
export interface SplitPayload {
  readonly text: string | null
  readonly payload: Readonly<Record<string, unknown>>
}

/** Takes the text out of a payload that Concordance wrote; of any other it takes nothing. */
export function takeText(stored: Readonly<Record<string, unknown>>): SplitPayload {
  const { [TEXT_KEY]: text, ...payload } = stored
  return typeof text === "string" ? { text, payload } : { text: null, payload: stored }
}
