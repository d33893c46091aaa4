import { understands } from "../inference/embedding-families.ts"
import type { Embedder } from "../inference/inference.ts"
import { headingsOf, passageText } from "../passage.ts"
import type { Translation } from "../shapes.ts"

/**
 * What the model reads of a chunk that may be there in two languages: the original, unless the model has no idea of its
 * language and does know that of the translation. There is one vector a chunk and space, and a vector of a text that the
 * model can't read is worth little: see docs/bundles.md for what was measured.
 */
export function modelText(
  embedder: Pick<Embedder, "languages">,
  title: string,
  original: Translation & { readonly metadata: Readonly<Record<string, unknown>> },
  translation: Translation | undefined,
): string {
  const knows = ({ language }: Translation): boolean => understands(embedder, language)
  const read = translation && !knows(original) && knows(translation) ? translation : original
  return passageText(title, headingsOf(original.metadata), read.content)
}
