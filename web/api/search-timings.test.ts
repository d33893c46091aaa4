import { expect, test } from "vitest"
import { parseServerTiming, recordTiming, searchTimings } from "./search-timings.ts"

test("a Server-Timing becomes the stages in their order, without the total and what gives no time", () => {
  expect(parseServerTiming("embed;dur=4.1, rank;desc=x;dur=8, miss, total;dur=13.5")).toEqual([
    { stage: "embed", ms: 4.1 },
    { stage: "rank", ms: 8 },
  ])
  expect(parseServerTiming(null)).toEqual([])
})

test("the last 50 searches are remembered, the oldest first", () => {
  for (let ms = 0; ms < 60; ms++) recordTiming(ms, "rank;dur=1")
  expect(searchTimings.value.map(({ totalMs }) => totalMs)).toEqual(Array.from({ length: 50 }, (_, i) => i + 10))
})
