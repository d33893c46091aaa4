import { expect, test } from "vitest"
import { createPageCache } from "./page-cache.ts"

test("a page is loaded once, and the oldest are let go", async () => {
  const loaded: number[] = []
  const cache = createPageCache(async (number) => loaded.push(number))
  await cache.get(1)
  await cache.get(1)
  expect(loaded).toEqual([1])
  for (let number = 2; number < 80; number += 1) await cache.get(number)
  expect([cache.peek(1), cache.peek(79)]).toEqual([undefined, 79])
  await cache.get(1)
  expect(loaded.at(-1)).toBe(1)
})

test("what failed is asked for again", async () => {
  let times = 0
  const cache = createPageCache(async () => {
    times += 1
    if (times === 1) throw new Error("away")
    return times
  })
  await expect(cache.get(7)).rejects.toThrow("away")
  expect(await cache.get(7)).toBe(2)
})
