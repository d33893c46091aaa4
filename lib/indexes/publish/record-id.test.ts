import { expect, test } from "vitest"
import { recordId } from "./record-id.ts"

test("a record's id is the UUIDv5 that Python's uuid.uuid5 makes of the same name", () => {
  // uuid5(UUID("7f1b5c1e-6f0d-5a3c-9d0e-2b8a4c6f1e37"), '["primary","log","c0001"]')
  expect(recordId("primary", "log", "c0001")).toBe("87c76b27-9e92-57f9-b5ee-4c13477e745b")
  expect(recordId('é"x', "log", "c0001")).toBe("0dfd4394-e7f6-5326-b616-bde47b2a3637")
})

test("tenant, document and chunk don't run into each other", () => {
  expect(recordId("a", "b/c", "c0001")).not.toBe(recordId("a/b", "c", "c0001"))
  expect(recordId("a", 'b","c', "d")).not.toBe(recordId('a","b', "c", "d"))
})
