import { expect, test } from "vitest"
import type { DocumentSummary } from "../../lib/documents/documents.ts"
import { choiceFrom, chooseDocuments, searchOf } from "./choose-documents.ts"

const document = (id: string, title: string, more: Partial<DocumentSummary> = {}): DocumentSummary => ({
  ...{ id, title, status: "ready", languages: ["en"], chunks: 1, metadata: {}, created_at: "", updated_at: "" },
  ...more,
})
const ALL = [
  document("pt/farol", "O farol da Ponta Ruiva", { languages: ["pt"] }),
  document("en/bell", "The bell", { status: "failed" }),
  document("en/salt", "Salt pans", { status: "queued" }),
  document("en/log", "", { status: "processing" }),
]
const ids = (text: string, shown: "all" | "reading" | "failed" = "all") =>
  chooseDocuments(ALL, { text, shown }).map(({ id }) => id)

test("every word must stand in title, id or language, in any case and without its accents", () => {
  expect(ids("")).toHaveLength(4)
  expect(ids("FAROL ruíva")).toEqual(["pt/farol"])
  expect(ids("portuguese")).toEqual(["pt/farol"])
  expect(ids("en/ salt")).toEqual(["en/salt"])
  expect(ids("bell salt")).toEqual([])
})

test("what waits counts as being read", () => {
  expect(ids("", "reading")).toEqual(["en/salt", "en/log"])
  expect(ids("bell", "failed")).toEqual(["en/bell"])
  expect(ids("salt", "failed")).toEqual([])
})

test("a choice comes back from the address that it made; an unknown one is the list as a whole", () => {
  for (const choice of [{ text: "ação & 50%", shown: "failed" } as const, { text: "", shown: "reading" } as const]) {
    expect(choiceFrom(searchOf(choice))).toEqual(choice)
  }
  expect(searchOf({ text: "", shown: "all" })).toBe("")
  expect(choiceFrom("?show=everything&q=")).toEqual({ text: "", shown: "all" })
})
