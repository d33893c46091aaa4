import { expect, test } from "vitest"
import { entityId, entityKey } from "./entity-key.ts"

test.each([
  ["Amélia FURTADO", "amelia furtado"],
  ["  Amelia-Furtado. ", "amelia furtado"],
  ["O'Neill & Filhos, Lda.", "o neill filhos lda"],
  ["Straße Æsir Łódź Øre", "strasse aesir lodz ore"],
  ["ﬁsh Nº 7", "fish no 7"],
  ["Ponta Ruiva", "ponta ruiva"],
  ["Пётр Ильич", "петр ильич"],
  ["京都", "京都"],
  ["— … !", ""],
])("%j is compared as %j", (name, key) => {
  expect(entityKey(name)).toBe(key)
  expect(entityKey(key)).toBe(key)
})

test("kinds keep names apart, and a key is bounded", () => {
  expect(entityId("vessel", "São Jorge")).toBe("vessel:sao-jorge")
  expect(entityId("place", "São Jorge")).not.toBe(entityId("vessel", "São Jorge"))
  expect(Array.from(entityKey("ﷺ".repeat(200))).length).toBeLessThanOrEqual(200)
})
