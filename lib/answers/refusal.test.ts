import { expect, test } from "vitest"
import { refusalIn } from "./refusal.ts"

test.each([
  ["pt", "Não posso"],
  ["pt-BR", "Não posso"],
  ["EN", "I can't answer"],
  ["de", "Das kann ich"],
  ["xx", "I can't answer"],
  ["constructor", "I can't answer"],
  [null, "I can't answer"],
])("the refusal for %s begins with %j", (language, start) => {
  expect(refusalIn(language)).toMatch(new RegExp(`^${start}`))
})
