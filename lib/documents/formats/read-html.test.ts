import { describe, expect, test } from "vitest"
import { renderBlocks } from "../../../tests/render-document.ts"
import { readHtml } from "./read-html.ts"

const read = (html: string) => readHtml(new TextEncoder().encode(html))
const blocks = (html: string) => renderBlocks(read(html))

describe("what of a page is read", () => {
  test.each([
    ["title and language are those of the page", "<html lang=pt_BR><title>A &amp; B</title><p>x", ["x"]],
    [
      "scripts, styles and forms are not text",
      "<script>a<b</script><style>p{}</style><p>x<select><option>o</select>",
      ["x"],
    ],
    ["what is hidden is not read", "<p hidden>a<p style='display: none'>b<p aria-hidden=true>c<p>x", ["x"]],
    ["a hidden run goes, the rest of its paragraph stays", "<p>a<span><span hidden>b</span>c</span>", ["ac"]],
    [
      "the main part wins over what is around it",
      "<div>menu</div><main><h1>T</h1><p>long enough text</main><p>foot",
      ["# T", "long enough text"],
    ],
    [
      "a main part that is nearly empty doesn't",
      `<main>x</main><p>${"word ".repeat(20)}`,
      ["x", "word ".repeat(20).trim()],
    ],
    [
      "the page's head and foot go, its title stays",
      "<header><h1>T</h1>logo</header><p>x<footer>f</footer>",
      ["# T", "x"],
    ],
    ["an article's head stays", "<article><header><p>By me</header><p>x</article>", ["By me", "x"]],
    ["a page that is only a footer is read", "<footer><p>x</footer>", ["x"]],
    [
      "signs at headings are no part of them",
      "<h2>Use<a class=headerlink href=#u>¶</a></h2><h3>B <a href=#b>#</a></h3><p>x",
      ["## Use", "### B", "x"],
    ],
  ])("%s", (_, html, expected) => expect(blocks(html)).toEqual(expected))

  test("title and language are the page's own", () => {
    expect(
      read("<html lang=pt_br><head><title> A &amp;\n B</title></head><svg><title>no</title></svg><p>x"),
    ).toMatchObject({
      title: "A & B",
      language: "pt-BR",
    })
    expect(read("<p>x")).toMatchObject({ title: null, language: null })
  })
})

describe("blocks", () => {
  test.each([
    ["paragraphs need no end tags", "<p>a<p>b<div>c</div>d", ["a", "b", "c", "d"]],
    ["white space collapses, <br> stays a line break", "<p> a \n b<br>  c<b>d</b>e ", ["a b\ncde"]],
    ["code keeps its white space", "<pre>\n a\n   b\n</pre>", [" a\n   b"]],
    [
      "lists become lines, lists within lists deeper ones",
      "<ul><li>a<ol start=3><li>b<li>c</ol><li><p>d<p>e</ul>",
      ["- a\n  3. b\n  4. c\n- d\n  e"],
    ],
    [
      "a table in a list stands between its lines",
      "<ul><li>a<table><tr><th>k<th>v<tr><td>1<td>2</table>b</ul>",
      ["- a", "[table 1] k | v\n1 | 2", "b"],
    ],
    [
      "terms go before what is said of them",
      "<dl><dt>a<dt>b<dd>c<dd>d<dt>e<dd><p>f<p>g</dl>",
      ["a, b: c", "a, b: d", "e: f", "g"],
    ],
    ["a term about which nothing is said stays", "<dl><dt>a</dl>", ["a"]],
    [
      "a figure is its alternative text and its caption",
      "<figure><img alt='A map'><figcaption>Fig. 1</figcaption></figure>",
      ["[figure] A map\nFig. 1"],
    ],
    ["a figure of code is code", "<figure><pre>x = 1</pre><figcaption>L</figcaption></figure>", ["x = 1", "L"]],
    [
      "pictures follow their paragraph, icons stand in it",
      "<p>a<img alt='A long text'>b<img alt=no width=16>c",
      ["abnoc", "[figure] A long text"],
    ],
    [
      "formulas are read as written",
      "<p>so <math><semantics><mi>x</mi><annotation encoding='application/x-tex'>x^2</annotation></semantics></math>",
      ["so x^2"],
    ],
    ["blocks inside inline elements are blocks", "<a href=x><h2>T</h2><p>x</a>", ["## T", "x"]],
    [
      "a stray end tag in a cell closes nothing outside",
      "<div><table><tr><th>a</div><th>b<tr><td>1<td>2</table></div>",
      ["[table 1] a | b\n1 | 2"],
    ],
    ["letters that no reader sees go", "<p>a\u00adb\u200bc\u0000d&nbsp;e", ["abcd e"]],
  ])("%s", (_, html, expected) => expect(blocks(html)).toEqual(expected))
})

describe("tables", () => {
  test.each([
    [
      "a cell over rows is repeated in each",
      "<tr><th>a<th>b<tr><td rowspan=2>x<td>1<tr><td>2",
      "[table 1] a | b\nx | 1\nx | 2",
    ],
    [
      "a cell over columns is repeated in the head alone",
      "<thead><tr><th colspan=2>h<tr><th>a<th>b</thead><tr><td colspan=2>x<tr><td>1<td>2",
      "[table 2] h | h\na | b\nx | \n1 | 2",
    ],
    [
      "spans over the end of the table cost nothing",
      "<tr><td rowspan=65534 colspan=2>x<td>1<tr><td>2",
      "[table 0] x |  | 1\nx |  | 2",
    ],
    ["short rows are filled up", "<tr><td>a<td>b<td>c<tr><td>d", "[table 0] a | b | c\nd |  | "],
    ["line breaks in cells are spaces", "<tr><th>a<th>b<tr><td>1<br>2<td><p>3<p>4", "[table 1] a | b\n1 2 | 3 4"],
    ["row names are no head", "<tr><th>a<td>1<tr><th>b<td>2", "[table 0] a | 1\nb | 2"],
    [
      "names over numbers are a head without being marked",
      "<tr><td>City<td>People<tr><td>Porto<td>231,800",
      "[table 1] City | People\nPorto | 231,800",
    ],
  ])("%s", (_, rows, expected) => expect(blocks(`<table>${rows}</table>`)).toEqual([expected]))

  test("a table that arranges the page is read through", () => {
    expect(blocks("<table><tr><td><h1>T</h1><td><p>a<tr><td>b</table>")).toEqual(["# T", "a", "b"])
    expect(blocks("<table><tr><td>a<tr><td>b</table>")).toEqual(["a", "b"])
    expect(blocks("<table><tr><td>l<td><table><tr><th>k<th>v<tr><td>1<td>2</table></table>")).toEqual([
      "l",
      "[table 1] k | v\n1 | 2",
    ])
  })
  test("its caption stands before it", () => {
    expect(blocks("<table><caption>C</caption><tr><th>k<th>v<tr><td>1<td>2</table>")).toEqual([
      "C",
      "[table 1] k | v\n1 | 2",
    ])
  })
})

test("what is left out is counted", () => {
  expect(read("<p>x<img src=a><img src=b><img alt=''>").warnings).toEqual([
    "Left out: 2 pictures without alternative text.",
  ])
  expect(read(`<p>x${"<i id=a></i>".repeat(600_000)}`).warnings.join()).toMatch(
    /^Left out: \d+ characters past the end/,
  )
})

test("XHTML is read as XML, since <title/> would hide an HTML page", () => {
  const page = `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml" xml:lang="pt"><head><title/></head><body><p>x</p></body></html>`
  expect(read(page)).toMatchObject({ language: "pt", blocks: [{ text: "x" }] })
})

test.each([
  ["meta", Buffer.from("<meta charset=windows-1252><p>a\x93\xe9\x94", "latin1"), "a“é”"],
  ["http-equiv", Buffer.from('<meta http-equiv=c content="text/html; charset=ISO-8859-2"><p>\xb1', "latin1"), "ą"],
  ["byte order mark over meta", Buffer.from("\ufeff<meta charset=latin1><p>é"), "é"],
  ["UTF-16", Buffer.from("\ufeff<p>é", "utf16le"), "é"],
  ["nothing, and no UTF-8", Buffer.from("<p>a\xe9o", "latin1"), "aéo"],
])("the encoding is found by %s", (_, bytes, expected) => {
  expect(renderBlocks(readHtml(bytes))).toEqual([expected])
})
