import { expect, test } from "vitest"
import { decodeCursor, encodeCursor } from "./cursor.ts"

const list = ["tenant", { query: "wind" }]

test("reads back where the page starts", () => {
  expect(decodeCursor(encodeCursor(20, list), list, "number")).toBe(20)
  expect(decodeCursor(encodeCursor("id/é😀", list), list, "string")).toBe("id/é😀")
})

test("is refused by another list, whatever differs", () => {
  const refused = expect.objectContaining({
    code: "invalid_request",
    fields: [expect.objectContaining({ field: "cursor" })],
  })
  for (const other of [["other", list[1]], ["tenant", { query: "winds" }], ["tenant"]]) {
    expect(() => decodeCursor(encodeCursor(20, list), other, "number")).toThrow(refused)
  }
})

test.each([
  ["", "nothing"],
  ["%%%", "not base64"],
  ["AAAA", "not JSON"],
  [Buffer.from("null").toString("base64url"), "null"],
  [Buffer.from('{"after":-1,"of":"x"}').toString("base64url"), "a negative place"],
  [Buffer.from('{"after":1.5,"of":"x"}').toString("base64url"), "half a place"],
  [encodeCursor("a", list), "a cursor of ids"],
])("%j (%s) is refused, naming the field", (cursor) => {
  expect(() => decodeCursor(cursor, list, "number")).toThrow(/^cursor: is not a cursor/)
})
