import { describe, expect, test } from "vitest"
import { renderBlocks } from "../../../tests/render-document.ts"
import { readMarkdown } from "./read-markdown.ts"

const read = (text: string) => readMarkdown(new TextEncoder().encode(text))

describe("Markdown", () => {
  test.each([
    ["headings, paragraphs, line breaks", "# A `b` *c*\n\nx\ny\\\nz", ["# A b c", "x y\nz"]],
    ["lists within lists", "- a\n  1. b\n  2. c\n\n     d\n- [x] e", ["- a\n  1. b\n  2. c\n    d\n- [x] e"]],
    ["code", "```ts\n  a\n   b\n```", ["  a\n   b"]],
    ["tables", "| a | b |\n|---|---|\n| 1 | `2` |\n| 3 |", ["[table 1] a | b\n1 | 2\n3 | "]],
    ["pictures by their alternative texts", "x ![A map](a.png) ![](b.png)", ["x", "[figure] A map"]],
    [
      "HTML as a page would be",
      "a <b>b</b><br>c\n\n<details><summary>S</summary>\n\ninside\n\n</details>\n\n<!-- no -->",
      ["a b\nc", "S", "inside"],
    ],
    ["footnotes", "x[^1]\n\n[^1]: note", ["x[1]", "[1] note"]],
    [
      "links named elsewhere",
      "see [the *guide*][g] and [g] and [h]\n\n[g]: http://x\n",
      ["see the guide and g and [h]"],
    ],
    ["quotes", "> a\n>\n> - b", ["a", "- b"]],
  ])("%s", (_, text, expected) => expect(renderBlocks(read(text))).toEqual(expected))

  test("front matter gives title and language", () => {
    expect(read("---\ntitle: Guia\nlang: pt\n---\nx")).toMatchObject({
      title: "Guia",
      language: "pt",
      blocks: [{ text: "x" }],
    })
  })
  test("a text of many parts is read in order, links to other parts as words, fences whole", () => {
    const code = `\`\`\`\n${"# no heading\n\n".repeat(5_000)}\`\`\``
    const text = `[far][f]\n\n${code}\n\n${`${"para ".repeat(20)}\n\n`.repeat(300)}# End\n\n[f]: http://x`
    const found = renderBlocks(read(text))
    expect(found[0]).toBe("far")
    expect(found.at(-1)).toBe("# End")
    expect(found).toHaveLength(304)
    expect(found.filter((block) => block.includes("# no heading"))).toHaveLength(2)
  })
  test("a tangle of marks is read as it stands, and its neighbours as Markdown", () => {
    const tangle = "[a*b_c".repeat(500)
    const { blocks, warnings } = read(`# T\n\n${tangle}\n\n*x*`)
    expect(blocks.map(({ text }) => text)).toEqual(["T", tangle, "x"])
    expect(warnings).toEqual([expect.stringMatching(/^1 paragraphs have too many marks/)])
  })
  test("nesting beyond sense is flattened", () => {
    expect(renderBlocks(read(`${">".repeat(5_000)} deep`))).toEqual(["deep"])
    const stairs = Array.from({ length: 200 }, (_, level) => `${" ".repeat(level * 2)}- a${level}`).join("\n")
    expect(renderBlocks(read(stairs)).join("\n").match(/a\d+/g)).toHaveLength(200)
  })
})
