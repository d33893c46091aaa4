import { expect, test } from "vitest"
import { deadlineIn } from "../deadline.ts"
import { createTenantPlaces } from "./tenant-places.ts"

/** Work that is under way until it is told to end. */
function openWork() {
  let end = () => {}
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  return { end, work: () => ended }
}

const soon = () => deadlineIn(60_000)

test("a tenant has so many under way, as many again wait, one more is refused at once, and others go on", async () => {
  const inPlace = createTenantPlaces({ max: 2, waitMs: 60_000 })
  const works = Array.from({ length: 4 }, openWork)
  let begun = 0
  const all = works.map(({ work }) =>
    inPlace("a", soon(), () => {
      begun++
      return work()
    }),
  )
  await new Promise(setImmediate)
  expect(begun).toBe(2)
  await expect(inPlace("a", soon(), async () => {})).rejects.toMatchObject({ code: "too_many_at_once", retryAfterS: 1 })
  expect(await inPlace("b", soon(), async () => "served")).toBe("served")
  for (const { end } of works) end()
  await Promise.all(all)
  expect(begun).toBe(4)
  expect(await inPlace("a", soon(), async () => "served")).toBe("served")
})

test("who waits too long is refused, who leaves is gone, and neither keeps a place", async () => {
  const inPlace = createTenantPlaces({ max: 1, waitMs: 20 })
  const first = openWork()
  const running = inPlace("a", soon(), first.work)
  await expect(inPlace("a", soon(), async () => {})).rejects.toMatchObject({ code: "too_many_at_once" })
  const leaving = new AbortController()
  const left = inPlace("a", deadlineIn(60_000, leaving.signal), async () => {})
  leaving.abort(new Error("gone"))
  await expect(left).rejects.toThrow("gone")
  first.end()
  await running
  expect(await inPlace("a", soon(), async () => "served")).toBe("served")
})

test("work that fails gives its place on", async () => {
  const inPlace = createTenantPlaces({ max: 1 })
  const failing = inPlace("a", soon(), () => Promise.reject(new Error("broken")))
  const next = inPlace("a", soon(), async () => "fine")
  await expect(failing).rejects.toThrow("broken")
  expect(await next).toBe("fine")
})
