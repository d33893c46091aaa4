import { expect, test } from "vitest"
import { placeOf, placePath } from "./reading-place.ts"

test.each([
  "/d/a",
  "/d/en%2Flog/p007",
  "/d/a/p007#c0042",
  "/d/a?lang=original",
  "/d/a/p012?lang=translation&view=picture#c0001",
])("%s reads back as it was written", (path) => {
  const id = decodeURIComponent(path.split(/[/?#]/)[2] ?? "")
  expect(placePath(id, placeOf(new URL(path, "http://room")))).toBe(path)
})

test("what an address doesn't say, or says wrongly, is the standard", () => {
  expect(placeOf(new URL("http://room/d/a/seven?lang=xx&view=9#%E0"))).toEqual({
    page: null,
    chunkId: "%E0",
    language: "both",
    view: "text",
  })
})
