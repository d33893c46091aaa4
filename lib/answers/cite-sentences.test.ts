import { describe, expect, test } from "vitest"
import { formatCitation } from "../citation.ts"
import { randomFrom } from "../random.ts"
import type { SearchHit } from "../search/response.ts"
import { citeSentences, citeText } from "./cite-sentences.ts"
import { splitSentences } from "./split-sentences.ts"

const sources = [
  { documentId: "tides", chunkId: "c0001", page: 7 },
  { documentId: "a/b]#", chunkId: "c0002" },
  { documentId: "moon", chunkId: "c0003" },
].map((cited) => ({ citation: formatCitation(cited), id: cited.documentId, chunk_id: cited.chunkId }) as SearchHit)
const [FIRST, SECOND, THIRD] = sources.map(({ citation }) => citation)

describe("a mark is mapped to its passage", () => {
  test.each([
    ["Tides rise twice [Doc 1].", `Tides rise twice ${FIRST}.`, [[FIRST]]],
    ["Tides rise twice. [Doc 1] They fall.", `Tides rise twice. ${FIRST} They fall.`, [[FIRST], []]],
    ["Tides rise.[Doc 2]", `Tides rise. ${SECOND}`, [[SECOND]]],
    ["Tides [Doc 1, Doc 3] rise.", `Tides ${FIRST}${THIRD} rise.`, [[FIRST, THIRD]]],
    ["Tides [docs 1 and 3] rise.", `Tides ${FIRST}${THIRD} rise.`, [[FIRST, THIRD]]],
    ["As marés sobem [Doc 1][Doc 1].", `As marés sobem ${FIRST}${FIRST}.`, [[FIRST]]],
    [`Copied ${SECOND}.`, `Copied ${SECOND}.`, [[SECOND]]],
    ["[Doc 1] Tides rise.", `${FIRST} Tides rise.`, [[FIRST]]],
    ["Tides [Docs 1-3] rise.", `Tides ${FIRST}${SECOND}${THIRD} rise.`, [[FIRST, SECOND, THIRD]]],
    ["Tides rise [Doc 1, page 3] [Document 2, p. 7].", `Tides rise ${FIRST}${SECOND}.`, [[FIRST, SECOND]]],
    ["Tides rise 【Doc 1】 (Doc 3).", `Tides rise ${FIRST}${THIRD}.`, [[FIRST, THIRD]]],
    ["[ [Doc 1] ] Tides.", `[ ${FIRST} ] Tides.`, [[FIRST]]],
    ["- Tides rise [Doc 1]\n- Tides fall [Doc 3]", `- Tides rise ${FIRST}\n- Tides fall ${THIRD}`, [[FIRST], [THIRD]]],
  ])("%j", (text, answer, citations) => {
    const cited = citeSentences(text, sources)
    expect(cited.answer).toBe(answer)
    expect(cited.sentences.map((sentence) => sentence.citations)).toEqual(citations)
    expect(cited.removed).toBe(0)
  })
})

test.each([
  ["Tides rise [Doc 4].", "Tides rise.", 1],
  ["Tides [Doc 0] rise.", "Tides rise.", 1],
  ["Tides rise [[other/p001#c0001]].", "Tides rise.", 1],
  ["Tides rise [Doc 1, Doc 9].", `Tides rise ${FIRST}.`, 1],
  ["Tides rise [[[Doc 9]evil#c0001]].", "Tides rise.", 2],
  ["Tides rise [Doc 99, page 3] (Doc 7).", "Tides rise.", 2],
  ["Tides rise [[]] [Doc 99999999999999999999].", "Tides rise.", 2],
])("%j cites what wasn't found: taken out and counted", (text, answer, removed) => {
  expect(citeSentences(text, sources)).toMatchObject({ answer, removed })
})

test("of passages that were shown without numbers no number cites one, and their own citations do", () => {
  const text = `Tides rise [Doc 1] (Doc 2). They fall ${THIRD}.`
  expect(citeSentences(text, sources, false)).toMatchObject({
    answer: `Tides rise. They fall ${THIRD}.`,
    cited: [2],
    removed: 2,
  })
})

test("brackets that cite nothing stay, and no sentence is lost", () => {
  const text = "An array [1, 2] and a [document] stay (documents of 1931). So does f[i] [sic]."
  expect(citeSentences(text, sources)).toMatchObject({
    answer: text,
    sentences: [
      { text: "An array [1, 2] and a [document] stay (documents of 1931)." },
      { text: "So does f[i] [sic]." },
    ],
    removed: 0,
  })
})

test.each([
  ["blanks", `The lamp${" ".repeat(200_000)}x [Doc 1].`],
  ["digits", `[Doc ${"1".repeat(200_000)}x`],
  ["numbers", `[Doc ${"1 ".repeat(100_000)}`],
  ["brackets", "[".repeat(200_000)],
  ["closed brackets", "[Doc 9]".repeat(30_000)],
])("a run of %s takes no more time than its length", (_, text) => {
  const began = performance.now()
  citeText(text, sources)
  expect(performance.now() - began).toBeLessThan(3_000)
})

test("whatever a model writes, an answer cites passages that were found and no others", () => {
  const random = randomFrom(5)
  const pieces = [
    "[",
    "]",
    "[[",
    "]]",
    "[Doc ",
    "Doc",
    "1",
    "2",
    "9",
    "]",
    " ",
    ". ",
    "\n",
    "moon#c0003",
    "tides/p007#c0001",
  ]
  pieces.push("a", "evil#c1", "\uE000", "\uE002", "[Doc 1]", "[[moon#c0003]]", "[[evil#c1]]", "e", ",", "\u{1F600}")
  const allowed = new Set(sources.map(({ citation }) => citation))
  for (let round = 0; round < 20_000; round++) {
    const text = Array.from({ length: 1 + random() * 14 }, () => pieces[Math.floor(random() * pieces.length)]).join("")
    const { answer, sentences, cited } = citeSentences(text, sources)
    const shown = [answer, ...sentences.map((sentence) => sentence.text)].flatMap(
      (said) => said.match(/\[\[[^[\]]*\]\]/g) ?? [],
    )
    const given = [...shown, ...sentences.flatMap((sentence) => sentence.citations)]
    for (const citation of given) expect(allowed, JSON.stringify(text)).toContain(citation)
    for (const index of cited) expect(answer, JSON.stringify(text)).toContain(sources[index]?.citation)
  }
})

test.each([
  ["One. Two? Three!", ["One.", "Two?", "Three!"]],
  ["See e.g. Figure 2. Then Dr. Who spoke.", ["See e.g. Figure 2.", "Then Dr. Who spoke."]],
  ["Segundo a pág. 7, sim. Não.", ["Segundo a pág. 7, sim.", "Não."]],
  ["1. First\n2. Second\n\n---\n", ["1. First", "2. Second"]],
  ["It costs 3.5 m. Yes", ["It costs 3.5 m. Yes"]],
  ["", []],
])("the sentences of %j", (text, sentences) => {
  expect(splitSentences(text).map(({ start, end }) => text.slice(start, end))).toEqual(sentences)
})
