/** Runs `task` for each index below `count`, `width` at a time. */
export async function inParallel(width: number, count: number, task: (index: number) => Promise<void>): Promise<void> {
  let next = 0
  await Promise.all(
    Array.from({ length: width }, async () => {
      while (next < count) {
        next += 1
        await task(next - 1)
      }
    }),
  )
}
