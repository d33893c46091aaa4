import type { Embedder } from "../inference/inference.ts"

/**
 * An embedder whose first text is embedded by `likely` while it is asked which model it should be: nobody waits for the question
 * and its answer one after the other. Where it is another, that one embeds, and `model` says so from then on. `ask` never rejects; null: it
 * is `likely`.
 */
export function askBeside(likely: Embedder, ask: () => Promise<Embedder | null>): Embedder {
  let chosen = likely
  let asking: Promise<void> | undefined
  return {
    get model() {
      return chosen.model
    },
    get dimensions() {
      return chosen.dimensions
    },
    get maxTokens() {
      return chosen.maxTokens
    },
    ...(likely.languages && { languages: likely.languages }),
    countTokens: (text) => chosen.countTokens(text),
    async embed(texts, kind, options) {
      const ahead = asking ? null : likely.embed(texts, kind, options)
      // Thrown away where the model is another one.
      ahead?.catch(() => undefined)
      asking ??= ask().then((found) => {
        chosen = found ?? likely
      })
      await asking
      return ahead && chosen === likely ? ahead : chosen.embed(texts, kind, options)
    },
  }
}
