import type { Embedder } from "../inference/inference.ts"

/**
 * An embedder that asks which model it should be when it has something to embed. Where it `isLikely` the one that it is so far, that
 * embeds the first text meanwhile: nobody waits for the one and the other. Of a tenant that nothing is known of nothing is
 * guessed: its questions may not be for the standard model's service to see. Where it is another, that one embeds, and `model` says
 * so from then on. `ask` never rejects; null: it is the one so far.
 */
export function askBeside(
  likely: Embedder,
  ask: () => Promise<Embedder | null>,
  { isLikely }: { readonly isLikely: boolean },
): Embedder {
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
      const ahead = isLikely && !asking ? likely.embed(texts, kind, options) : null
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
