/** Id of a passage's element: one that goes over two pages stands on both. */
export function passageId(page: number | undefined, chunkId: string): string {
  return `passage-${page ?? 0}-${chunkId}`
}
