/**
 * What a model reads of a chunk, at indexing and at reranking alike: the title and the headings over it tell what it is
 * about. What stands in the text itself, or is the title, is not said twice.
 */
export function passageText(title: string, headings: readonly string[], content: string): string {
  const over = [title, ...headings.filter((heading) => heading !== title && !content.includes(heading))]
  return [...over.filter((line) => line !== ""), content].join("\n")
}

/** The headings over a chunk, the highest first, where its metadata has them: `headings`, a list of texts. */
export function headingsOf(metadata: Readonly<Record<string, unknown>>): readonly string[] {
  const { headings } = metadata
  return Array.isArray(headings) ? headings.filter((heading) => typeof heading === "string") : []
}
