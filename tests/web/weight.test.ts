import { expect } from "vitest"
import { test } from "./browser.ts"

test("the first look loads less than 150 kB, as they come over the line", async ({ room }) => {
  const page = await room.open("/")
  await room.settled()
  const loaded = await page.evaluate(() =>
    [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")].map((entry) => ({
      name: new URL(entry.name).pathname,
      bytes: (entry as PerformanceResourceTiming).encodedBodySize,
    })),
  )
  expect(loaded.length).toBeGreaterThan(3)
  const bytes = loaded.reduce((sum, { bytes }) => sum + bytes, 0)
  expect(bytes, JSON.stringify(loaded)).toBeLessThan(150_000)
})
