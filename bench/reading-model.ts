import { createHash } from "node:crypto"
import { NO_ANSWER } from "../lib/answers/graph/prompts.ts"
import { splitSentences } from "../lib/answers/split-sentences.ts"
import { fakeTokens, type LlmQuestion, type LlmReply, startFakeLlm } from "../tests/fake-llm.ts"

/** Of the words of a question or statement, those that a passage must have. */
const RELEVANT_SHARE = 0.4
const PROVEN_SHARE = 0.8
/** Tokens of a block that is kept whole, as vLLM's prefix cache does by default. */
const BLOCK_TOKENS = 16
const BYTES_PER_TOKEN = 4

/**
 * A language model behind HTTP that knows words and no meaning: it judges and quotes by the share of words that two texts have
 * in common. It shows what an answer costs in calls and tokens, and how much of its prompts a prefix cache would have;
 * how good a real model's answers are it doesn't show.
 */
export function startReadingModel() {
  const cache = createPrefixCache()
  return startFakeLlm((question) => {
    const reply = replyTo(question)
    const text = reply.rawContent ?? JSON.stringify(reply.content)
    const prompt = question.system + question.user
    return {
      ...reply,
      usage: {
        prompt_tokens: fakeTokens(prompt),
        completion_tokens: fakeTokens(text),
        prompt_tokens_details: { cached_tokens: cache.take(prompt) },
      },
    }
  })
}

function replyTo({ name, user }: LlmQuestion): LlmReply {
  const [asked = "{}"] = user.split("\n")
  const { question } = JSON.parse(asked) as { question: string }
  const passages = [...user.matchAll(/<content>(.*?)<\/content>/gs)].map(([, content = ""]) => content)
  const thought = "By the words that both have."
  switch (name) {
    case "RetrievalDecision":
      return { content: { thought, answer: "YES" } }
    case "RelevanceGrade":
      return { content: { thought, answer: share(question, passages.join(" ")) >= RELEVANT_SHARE ? "YES" : "NO" } }
    case "SupportGrade": {
      const { statements } = JSON.parse(user.split("\n").at(-2) ?? "{}") as { statements: string[] }
      const proven = statements.every((statement) => share(statement, passages.join(" ")) >= PROVEN_SHARE)
      return { content: { thought, label: proven ? "fully_supported" : "not_supported" } }
    }
    case "UsefulnessGrade":
      return { content: { thought, label: "useful" } }
    case "RewrittenQuery":
      return { content: { query: [...words(question)].reverse().join(" ") || question } }
    default:
      return { rawContent: bestSentence(question, passages) }
  }
}

function bestSentence(question: string, passages: readonly string[]): string {
  const sentences = passages.flatMap((passage, index) =>
    splitSentences(passage).map(({ start, end }) => ({ text: passage.slice(start, end), index })),
  )
  const ranked = sentences.map((sentence) => ({ ...sentence, score: share(question, sentence.text) }))
  const [best] = ranked.sort((a, b) => b.score - a.score)
  return best && best.score > 0 ? `${best.text} [Doc ${best.index + 1}]` : NO_ANSWER
}

/** Of the words of `text`, the share that `other` has too, 0–1. */
function share(text: string, other: string): number {
  const own = words(text)
  const others = words(other)
  return own.size === 0 ? 0 : [...own].filter((word) => others.has(word)).length / own.size
}

/** Words of four letters and more, by their first five: a stemmer of sorts. */
const words = (text: string): ReadonlySet<string> =>
  new Set((text.toLowerCase().match(/\p{L}{4,}|\p{N}+/gu) ?? []).map((word) => word.slice(0, 5)))

/** Blocks of prompts by everything before them, as a server keeps them. */
function createPrefixCache() {
  const held = new Set<string>()
  return {
    /** Tokens of the prompt's beginning that an earlier prompt had too; its own blocks are kept. */
    take(prompt: string): number {
      const bytes = Buffer.from(prompt)
      const size = BLOCK_TOKENS * BYTES_PER_TOKEN
      const chain = createHash("sha256")
      let cached = 0
      let isHit = true
      for (let at = 0; at + size <= bytes.length; at += size) {
        const key = chain
          .update(bytes.subarray(at, at + size))
          .copy()
          .digest("base64")
        isHit &&= held.has(key)
        if (isHit) cached += BLOCK_TOKENS
        held.add(key)
      }
      return cached
    },
  }
}
