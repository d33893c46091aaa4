/**
 * Does each piece of work, at most so many at a time; what one returns is done later. When one throws, the others end
 * before the next piece, and the error is thrown when all have: none goes on afterwards.
 */
export async function inTurn<T>(
  first: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<readonly T[]>,
): Promise<void> {
  const queue = [...first]
  let isStopped = false
  const lines = Array.from({ length: Math.min(atOnce, queue.length) }, async () => {
    for (let item = queue.shift(); item !== undefined && !isStopped; item = queue.shift()) {
      try {
        queue.push(...(await work(item)))
      } catch (error) {
        isStopped = true
        throw error
      }
    }
  })
  await Promise.allSettled(lines)
  await Promise.all(lines)
}
