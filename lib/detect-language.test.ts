import { beforeAll, expect, test } from "vitest"
import { type DetectLanguage, loadLanguageDetector } from "./detect-language.ts"

let detectLanguage: DetectLanguage

beforeAll(async () => {
  detectLanguage = await loadLanguageDetector()
})

test.each([
  ["en", "The keeper of the lighthouse walks up the stairs every evening and lights the lamp."],
  ["pt", "O faroleiro sobe as escadas todas as noites e acende a lâmpada para os navios que passam."],
  ["pt", "A camara municipal aprovou o orcamento para a construcao da nova escola no proximo ano."],
  ["de", "Der Wärter des Leuchtturms steigt jeden Abend die Treppe hinauf und zündet die Lampe an."],
])("tells %s", (language, text) => {
  expect(detectLanguage(text)).toBe(language)
})

test.each([
  "",
  "Report",
  "R-4711/b",
  "1234567890 ".repeat(20),
  "😀".repeat(100),
  " ".repeat(1_000),
  "/8A>98FG8E.92/09?@D2#3$4!56# 1@>8:?.A?@2D2.1@>?#3%4*56# 1@>8:?.1@>E@?2.",
])("doesn't guess where nothing tells: %j", (text) => {
  expect(detectLanguage(text)).toBeNull()
})

test("a long text takes no longer than its start", () => {
  const text = "The keeper of the lighthouse walks up the stairs every evening. ".repeat(30_000)
  const from = performance.now()
  expect(detectLanguage(text)).toBe("en")
  expect(performance.now() - from).toBeLessThan(500)
})
