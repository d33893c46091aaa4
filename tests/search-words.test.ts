import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { randomFrom } from "../lib/random.ts"
import { type Library, openLibrary } from "./library.ts"

// What a search by words promises: phrases, exclusions, languages, and that any text at all is a question.

let library: Library

beforeAll(async () => {
  library = await openLibrary()
})
afterAll(() => library.close())

const document = (id: string, content: string, language = "en") => ({ id, content, language })
const lexical = (query: string, more: object = {}) => ({ query, strategy: "lexical" as const, ...more })

describe("phrases and exclusions", () => {
  beforeAll(() =>
    library.index("mills", [
      document("windmill", "The old wind mill on the ridge grinds corn."),
      document("mill-wind", "A mill that the wind has left: no wind turns a mill of stone."),
      document("steam", "The steam engine drives a mill beside the river."),
      document("sailing", "Sailing ships need wind and a crew."),
      document("stop", "To be or not to be, that is the question."),
    ]),
  )

  test("a quoted phrase must match as a phrase, also for what is found by meaning", async () => {
    expect(await library.find("mills", lexical('"wind mill"'))).toEqual(["windmill"])
    expect(await library.find("mills", '"wind mill"')).toEqual(["windmill"])
    expect(await library.find("mills", { query: '"wind mill" sailing ships', strategy: "semantic" })).toEqual([
      "windmill",
    ])
    expect(await library.find("mills", lexical("wind mill"))).toHaveLength(4)
  })

  test("a phrase matches by its lexemes: inflected, and over the stop words between them", async () => {
    expect(await library.find("mills", lexical('"steam engines"'))).toEqual(["steam"])
    expect(await library.find("mills", lexical('"mill on the ridge"'))).toEqual(["windmill"])
    expect(await library.find("mills", lexical('"mill the ridge"'))).toEqual([])
  })

  test("each of two phrases must match", async () => {
    expect(await library.find("mills", lexical('"wind mill" "old wind"'))).toEqual(["windmill"])
    expect(await library.find("mills", lexical('"wind mill" "steam engine"'))).toEqual([])
  })

  test("a phrase stands across no border of title and content", async () => {
    await library.index("titles", [{ id: "t", title: "Old wind", content: "mill of stone", language: "en" }])
    expect(await library.find("titles", lexical('"old wind"'))).toEqual(["t"])
    expect(await library.find("titles", lexical('"mill of stone"'))).toEqual(["t"])
  })

  test("-word excludes from both lists, in any of its forms", async () => {
    expect((await library.find("mills", lexical("mill -wind"))).sort()).toEqual(["steam"])
    expect(await library.find("mills", "mill -wind -steam")).toEqual(["stop"])
    expect(await library.find("mills", { query: "mill -winds", strategy: "semantic" })).not.toContain("windmill")
    expect((await library.find("mills", "mill")).sort()).toContain("windmill")
  })

  test('-"a phrase" excludes the phrase and not its words', async () => {
    expect((await library.find("mills", lexical('mill -"wind mill"'))).sort()).toEqual(["mill-wind", "steam"])
    const semantic = await library.find("mills", { query: 'mill -"wind mill"', strategy: "semantic" })
    expect(semantic).not.toContain("windmill")
    expect(semantic).toContain("mill-wind")
  })

  test("a hyphen within a word excludes nothing", async () => {
    expect(await library.find("mills", lexical("river-steam"))).toEqual(["steam"])
  })

  test("exclusions alone find nothing, and say why", async () => {
    const response = await library.search("mills", { query: "-wind" })
    expect(response).toMatchObject({
      count: 0,
      warnings: [expect.stringMatching(/^query: it has no words to rank by/)],
    })
    expect(await library.search("mills", { query: "mill -wind" })).not.toHaveProperty("warnings")
  })

  test("exclusions beside a vector still hold", async () => {
    const embedding = Array.from({ length: 64 }, (_, i) => i + 1)
    const found = await library.find("mills", { query: "-wind", embedding })
    expect(found.sort()).toEqual(["steam", "stop"])
  })

  test.each(['"to be or not to be"', '"the" mill', "mill -the", 'mill -"of the"', '"of" mill'])(
    "stop words alone, as in %s, ask for nothing and empty nothing",
    async (query) => {
      expect((await library.search("mills", { query })).count).toBeGreaterThan(0)
      const words = await library.find("mills", lexical(query))
      expect(words).toEqual(query.includes("mill") ? expect.arrayContaining(["windmill", "mill-wind", "steam"]) : [])
    },
  )

  test("stop words of two languages ask for nothing among chunks of a third", async () => {
    await library.index("three", [
      document("en", "The mill stands on the ridge."),
      document("pt", "O moinho fica no alto da serra.", "pt"),
      document("fr", "Le moulin se trouve sur la colline.", "fr"),
    ])
    for (const query of ['"do a" mill', 'mill -"do a"', "-the mill", '"para" mill', "mill -para", "-do -a -no mill"]) {
      expect(await library.find("three", lexical(query))).toEqual(["en"])
    }
  })
})

describe("Portuguese", () => {
  beforeAll(() =>
    library.index("pt", [
      document("informação", "A informação chega aos leitores todos os dias.", "pt"),
      document("informações", "As informações foram publicadas ontem.", "pt"),
      document("avaliação", "A avaliação dos alunos termina em junho.", "pt"),
      document("avaliações", "As avaliações dos professores são anuais.", "pt"),
      document("possível", "É possível visitar o farol.", "pt"),
      document("possíveis", "Foram estudados os possíveis caminhos.", "pt"),
      document("ciência", "A ciência estuda o mar.", "pt"),
      document("calendário", "O calendário das marés.", "pt"),
      document("relatórios", "Os relatórios do porto.", "pt"),
      document("opiniões", "As opiniões dividem a vila.", "pt"),
      document("avó", "A avó contava histórias junto à lareira.", "pt"),
      document("coração", "O coração da cidade.", "pt"),
    ]),
  )

  test.each([
    ["informação", ["informação", "informações"]],
    ["informações", ["informação", "informações"]],
    ["informacao", ["informação", "informações"]],
    ["informacoes", ["informação", "informações"]],
    ["INFORMAÇÃO", ["informação", "informações"]],
    ["avaliacao", ["avaliação", "avaliações"]],
    ["avaliacoes", ["avaliação", "avaliações"]],
    ["possivel", ["possível", "possíveis"]],
    ["possiveis", ["possível", "possíveis"]],
    ["possível", ["possível", "possíveis"]],
    ["opinioes", ["opiniões"]],
    ["opinião", ["opiniões"]],
    ["marés", ["calendário", "ciência"]], // Snowball stems maré and mar alike
    ["corações", ["coração"]],
    ["ciencia", ["ciência"]],
    ["ciencias", ["ciência"]],
    ["calendario", ["calendário"]],
    ["relatorio", ["relatórios"]],
    ["historia", ["avó"]],
    ["coracao", ["coração"]],
  ])("%s finds %j", async (query, expected) => {
    const found = await library.find("pt", lexical(query))
    expect(found.sort()).toEqual([...expected].sort())
  })

  test("a whole question without accents finds the accented text, and marks its words as they are written", async () => {
    const { results } = await library.search("pt", {
      ...lexical("onde esta a informacao para os leitores"),
      highlight: true,
    })
    const [first] = results
    expect(first?.id).toBe("informação")
    const marked = first?.highlights?.map(({ start, end }) => first.content.slice(start, end))
    expect(marked).toEqual(expect.arrayContaining(["informação", "leitores"]))
  })

  test("without accents in the text, the accented question finds it", async () => {
    await library.index("bare", [document("a", "A informacao da camara municipal nao chegou.", "pt")])
    for (const query of ["câmara", "camara", "informacao"]) {
      expect(await library.find("bare", lexical(query))).toEqual(["a"])
    }
  })
})

describe("several languages in one tenant", () => {
  beforeAll(() =>
    library.index("mixed", [
      document("keeper", "The keeper lights the lamp of the lighthouse."),
      document("harbour", "Ships anchor in the harbour for the night."),
      document("faroleiro", "O faroleiro acende a lâmpada do farol.", "pt"),
      document("cita", "O livro diz the end na última página.", "pt"),
      document("phare", "Le gardien du phare allume la lampe. The end.", "fr"),
    ]),
  )

  test("a stop word of the question's language pulls in no chunk of another, where it would be a rare word", async () => {
    expect(await library.find("mixed", lexical("the keeper of the lighthouse"))).toEqual(["keeper"])
    expect(await library.find("mixed", lexical("Where is the harbour?"))).toEqual(["harbour"])
    // The control: without a stop word to tell the language by, the quoted English is found.
    expect((await library.find("mixed", lexical("end"))).sort()).toEqual(["cita", "phare"])
  })

  test("language says whose stop words are dropped", async () => {
    expect(await library.find("mixed", lexical("os the", { language: "pt" }))).toEqual(expect.arrayContaining(["cita"]))
    expect(await library.find("mixed", lexical("the do", { language: "en-GB" }))).toEqual([])
    expect(await library.find("mixed", lexical("the", { language: "fr" }))).toEqual(
      expect.arrayContaining(["phare", "cita"]),
    )
  })

  test("a word finds the chunks of each language by that language's stem", async () => {
    await library.index("stems", [
      document("en", "Several universities were founded."),
      document("fr", "universities", "fr"),
      document("pt", "Várias universidades foram fundadas.", "pt"),
    ])
    expect((await library.find("stems", lexical("universities"))).sort()).toEqual(["en", "fr"])
    expect(await library.find("stems", lexical("university"))).toEqual(["en"])
    expect(await library.find("stems", lexical("universidade"))).toEqual(["pt"])
  })
})

describe("any text at all is a question", () => {
  const SOUP = [
    '"',
    "-",
    "&",
    "|",
    "!",
    "(",
    ")",
    "<->",
    "<2>",
    ":*",
    ":A",
    "'",
    "\\",
    "*",
    "~",
    " ",
    "the",
    "mill",
    "do",
    "OR",
    "AND",
    "NOT",
    "é",
    "😀",
    "ŉ",
    "ﬁ",
    "\u0301",
    "\u200b",
    "\u00a0",
    "\u0001",
    "%",
    "$1",
    "{}",
    "--",
    "/*",
    "a.b@c.d",
    "http://x.y/z?q=1",
    "1e9",
    "-1.5",
    "<b>",
    "&amp;",
    "x".repeat(300),
    "、",
    "\n",
  ]

  beforeAll(() =>
    library.index("soup", [
      document("en", "The mill: 1e9 -1.5 a.b@c.d http://x.y/z?q=1 'quoted' back\\slash ŉ ﬁ x"),
      document("pt", "O moinho ŉ ﬁ 'aspas' a.b@c.d do the", "pt"),
      document("fr", "Le moulin ŉ ﬁ mill é", "fr"),
    ]),
  )

  test.each([
    "&",
    "|",
    "!",
    "a & b | !c",
    "a <-> b",
    "(((",
    ")))",
    "'",
    "''",
    "\\",
    "'\\'",
    ":*",
    "mill:*",
    "mill:A",
    '"',
    '""',
    '"""',
    '" "',
    "-",
    "--",
    '-"',
    '-""',
    '-" "',
    '-"the"',
    "-the",
    "- mill",
    "--mill",
    '"-mill"',
    '-"-mill"',
    '"a "b" c"',
    "OR",
    "AND NOT",
    "mill OR",
    "%",
    "_",
    "$1",
    "$$",
    "😀",
    "\u0301",
    "ŉ",
    '"ŉ"',
    "-ŉ",
    "'n",
    "\u0001",
    "\u200b",
    "</b>",
    "<b",
    "a\\'b",
    "'; drop table chunks; --",
    "http://x.y/z?q=1",
    '"http://x.y/z?q=1"',
    "-http://x.y/z",
    "a.b@c.d",
    "-a.b@c.d",
    '"1e9 -1.5"',
    "٣٤",
    "\u202emill",
    "mill\nmill",
    "mill\u2028-the",
  ])("%j", async (query) => {
    for (const language of [undefined, "en", "pt", "fr"]) {
      for (const strategy of ["rrf", "lexical"] as const) {
        await library.search("soup", { query, strategy, ...(language && { language }) })
      }
    }
  })

  test("300 made at random, in every strategy", async () => {
    const random = randomFrom(5)
    const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T
    for (let i = 0; i < 300; i++) {
      const query = `m${Array.from({ length: 1 + Math.floor(random() * 12) }, () => pick(SOUP)).join("")}`.slice(
        pick([0, 1]),
      )
      if (query.trim() === "") continue
      const strategy = pick(["rrf", "weighted", "semantic", "lexical", "two_pass"] as const)
      const found = await library.search("soup", { query, strategy }).catch((error: unknown) => [query, error])
      expect(found).toHaveProperty("results")
    }
  })

  test("8,000 characters of words that all exist", async () => {
    const content = Array.from({ length: 2_600 }, (_, i) => i.toString(36).padStart(2, "w")).join(" ")
    await library.index("long", [document("long", content)], { embedder: null })
    const { results } = await library.search("long", lexical(content.slice(0, 8_000)))
    expect(results.map((hit) => hit.id)).toEqual(["long"])
  })
})
