/** What a model reads of a chunk, at indexing and at reranking alike: the title tells it what the passage is about. */
export function passageText(title: string, content: string): string {
  return title === "" ? content : `${title}\n${content}`
}
