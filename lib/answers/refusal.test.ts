import { expect, test } from "vitest"
import { refusalText } from "./refusal.ts"

test.each([
  ["pt", "Não encontrei"],
  ["pt-BR", "Não encontrei"],
  ["EN", "I found nothing"],
  ["de", "Ich habe"],
  ["xx", "I found nothing"],
  ["constructor", "I found nothing"],
  [null, "I found nothing"],
])("the refusal for %s begins with %j", (language, start) => {
  expect(refusalText(language)).toMatch(new RegExp(`^${start}`))
})
