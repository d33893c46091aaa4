/** Arguments whose `top_k` is one that the tool takes. */
export interface Clamped {
  readonly args: Readonly<Record<string, unknown>>
  /** What was made of it, where it was another. */
  readonly warnings: readonly string[]
}

/** A `top_k` of 0, 4.5 or 500 becomes a whole number from 1 to `max`; what is no number is left for the schema to refuse. */
export function clampTopK(args: Readonly<Record<string, unknown>>, max: number | undefined): Clamped {
  const given = args["top_k"]
  if (max === undefined || typeof given !== "number" || Number.isNaN(given)) return { args, warnings: [] }
  const taken = Math.min(max, Math.max(1, Math.trunc(given)))
  if (taken === given) return { args, warnings: [] }
  return { args: { ...args, top_k: taken }, warnings: [`top_k is a whole number from 1 to ${max}: ${taken} was taken`] }
}
