import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import type { Passage } from "../lib/beir-collection.ts"

/** Shorter sections are badges, links and one-liners. */
const SECTION_CHARS_MIN = 300
/** Of longer ones (a licence, a change log) the beginning is enough. */
const SECTION_CHARS_MAX = 2_500
/** Every so many sections one is held back, for a question. */
const QUESTION_EVERY = 3
/** A plain sentence of 6 to 16 words: about what people ask, and what the questions of test collections are like. */
const QUESTION = /^[A-Z][\w'’-]*(?:,? [\w'’-]+){5,15}[.?]$/

/** Documents and questions of a latency bench. */
export interface Corpus {
  readonly name: string
  readonly corpus: readonly Passage[]
  readonly questions: readonly string[]
}

/**
 * What a latency bench reads when it is given no collection: the sections of the documentation that npm installed, the
 * only real text of any size that every checkout has. Its questions are sentences of sections that are held back.
 */
export async function readInstalledCorpus(root: string): Promise<Corpus> {
  const names = (await readdir(root, { recursive: true })).filter((name) => name.toLowerCase().endsWith(".md")).sort()
  // Packages come in several versions, and licences everywhere.
  const sections = new Set<string>()
  for (const name of names) {
    // A folder may be called so too (`@lat.md`).
    const markdown = await readFile(join(root, name), "utf8").catch(() => "")
    for (const section of splitSections(markdown)) sections.add(section)
  }
  const held = (index: number) => index % QUESTION_EVERY === 0
  const texts = [...sections]
  return {
    name: "installed documentation",
    corpus: texts.flatMap((text, index) => (held(index) ? [] : [{ _id: `s${index}`, title: "", text }])),
    questions: [...new Set(texts.flatMap((text, index) => (held(index) ? questionsOf(text) : [])))],
  }
}

/** The prose below each heading, on one line; code and markup are left out. */
function splitSections(markdown: string): string[] {
  const prose = markdown.replace(/^(```|~~~)[\s\S]*?^\1/gm, "").replace(/<[^>]+>|!?\[([^\]]*)\]\([^)]*\)/g, "$1")
  return prose
    .split(/^#{1,6}[ \t]+.*$/m)
    .map((section) =>
      section
        .replace(/[`*|#]+/g, "")
        .replace(/\s+/g, " ")
        .trim()
        .slice(0, SECTION_CHARS_MAX),
    )
    .filter((section) => section.length >= SECTION_CHARS_MIN)
}

const segmenter = new Intl.Segmenter("en", { granularity: "sentence" })

function questionsOf(text: string): string[] {
  const sentences = [...segmenter.segment(text)].map(({ segment }) => segment.trim())
  return sentences.filter((sentence) => QUESTION.test(sentence)).slice(0, 2)
}
