import { expect, test } from "vitest"
import { addressOf, NOTHING_ASKED, readAddress, type SearchAddress, toRequest } from "./search-address.ts"

const FULL: SearchAddress = {
  question: '"silver medal" -paraffin & more, é',
  ranking: "second-look",
  unit: "passage",
  documents: ["en/a,b", "pt/ç?&="],
  kinds: ["text", "table"],
  language: "pt-BR",
  oddity: "second-hand",
  compared: ["meaning", "words"],
}

test.each<[string, SearchAddress]>([
  ["nothing", NOTHING_ASKED],
  ["everything", FULL],
])("an address holds all of a search, and reading it gives that search back: %s", (_, address) => {
  expect(readAddress(addressOf(address))).toEqual(address)
})

test("what is usual isn't named in the address", () => {
  expect(addressOf({ ...NOTHING_ASKED, question: "fog" })).toBe("/?q=fog")
  expect(addressOf(NOTHING_ASKED)).toBe("/")
})

test("words in an address that mean nothing are left out, and so is a comparison with fewer than two", () => {
  const read = readAddress("/?q=+fog+&rank=magic&show=rooms&kind=smell&kind=table&doc=&compare=meaning,magic,meaning")
  expect(read).toEqual({ ...NOTHING_ASKED, question: "fog", kinds: ["table"] })
})

test("a search asks the API for what its address says, and nothing is filtered without a filter", () => {
  expect(toRequest(FULL)).toMatchObject({
    query: FULL.question,
    strategy: "weighted",
    rerank: true,
    group_by: "chunk",
    filter: {
      document_id: { in: ["en/a,b", "pt/ç?&="] },
      kind: { in: ["text", "table"] },
      language: "pt-BR",
      anomaly: "second-hand",
    },
  })
  expect(toRequest({ ...NOTHING_ASKED, question: "fog", oddity: "any" }).filter).toEqual({ anomaly: { exists: true } })
  expect(toRequest({ ...NOTHING_ASKED, question: "fog" })).not.toHaveProperty("filter")
  expect(toRequest(FULL, "words")).toMatchObject({ strategy: "lexical" })
})
