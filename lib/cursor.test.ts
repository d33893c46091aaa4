import { expect, test } from "vitest"
import * as z from "zod"
import { decodeCursor, decodePlace, encodeCursor, encodePlace } from "./cursor.ts"

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

test("a place of several values reads back; what somebody else wrote as one is refused as any other cursor", () => {
  const Place = z.tuple([z.string(), z.int32()])
  expect(decodePlace(encodePlace(["a/b", 7], ["l"]), ["l"], Place)).toEqual(["a/b", 7])
  for (const forged of ["no JSON", "[]", '["a", "7"]', '["a", 4294967296]', "null"]) {
    expect(() => decodePlace(encodeCursor(forged, ["l"]), ["l"], Place)).toThrow("is not a cursor")
  }
  expect(() => decodePlace(encodePlace(["a", 7], ["l"]), ["m"], Place)).toThrow("cursor")
})
