import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { pause } from "./poll.ts"

let page: EventTarget & { hidden: boolean }
beforeEach(() => {
  page = Object.assign(new EventTarget(), { hidden: false })
  vi.stubGlobal("document", page)
})
afterEach(() => {
  vi.unstubAllGlobals()
})

const show = (hidden: boolean) => {
  page.hidden = hidden
  page.dispatchEvent(new Event("visibilitychange"))
}

test("a hidden page waits until it is shown again", async () => {
  page.hidden = true
  let isOver = false
  const waiting = pause(1, new AbortController().signal).then(() => {
    isOver = true
  })
  await new Promise((resolve) => setTimeout(resolve, 60))
  show(true)
  await Promise.resolve()
  expect(isOver).toBe(false)
  show(false)
  await waiting
})

test("who leaves ends the pause, whether it is the time or the page that is waited for", async () => {
  const [early, late] = [new AbortController(), new AbortController()]
  const first = pause(60_000, early.signal)
  early.abort()
  await expect(first).rejects.toMatchObject({ name: "AbortError" })
  page.hidden = true
  const second = pause(1, late.signal)
  setTimeout(() => late.abort(), 30)
  await expect(second).rejects.toMatchObject({ name: "AbortError" })
  await expect(pause(1, late.signal)).rejects.toMatchObject({ name: "AbortError" })
})
