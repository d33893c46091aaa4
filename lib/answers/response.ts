import * as z from "zod"

/** How far passages bear a statement out. */
export const SupportLabel = z.enum(["fully_supported", "partially_supported", "not_supported"])
export type SupportLabel = z.infer<typeof SupportLabel>

/** One sentence of an answer with what proves it. */
export const AnswerSentence = z.object({
  text: z.string().describe("Without its citations"),
  citations: z.array(z.string()).describe("`[[doc/p007#c0042]]`, all of them among the answer's `citations`"),
  support: SupportLabel.nullable().describe("null: there was nothing to check it against"),
})
export type AnswerSentence = z.infer<typeof AnswerSentence>

/** A passage that the answer cites. */
export const AnswerCitation = z.object({
  citation: z.string().describe("`[[doc/p007#c0042]]`, as it stands in `answer`"),
  id: z.string().describe("Document id"),
  chunk_id: z.string(),
  title: z.string(),
  content: z.string().describe("The passage as the model read it"),
  score: z.number().describe("Of the retrieval"),
  page: z.int().optional(),
  page_url: z.string().optional().describe("Path of its page, where the document has pages"),
  crop_url: z.string().optional().describe("Path of a picture of the passage itself, where there is one"),
})
export type AnswerCitation = z.infer<typeof AnswerCitation>

/** What the language model took for an answer, all calls together. All zero without one. */
export const AnswerUsage = z.object({
  calls: z.int(),
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  cached_tokens: z.int().describe("Of the prompts, what the server had in its cache"),
  estimated: z.boolean().describe("The server left counts out: a third of the bytes"),
})
export type AnswerUsage = z.infer<typeof AnswerUsage>

/** One step of the graph, or one tool call of a chat, as `explain` and the stream show it. */
export const AnswerStep = z.object({
  node: z.string().describe("Name of the graph's node, or of the tool"),
  label: z.string().optional().describe("What it decided: `YES`, `not_supported`, …"),
  ms: z.number(),
  inputs: z.record(z.string(), z.number()).optional().describe("Sizes of what it read: documents, characters"),
  tokens: z.int().optional().describe("Asked and answered, of a step that asked the language model"),
})
export type AnswerStep = z.infer<typeof AnswerStep>

/** Body of the answer to `POST /answer` and `POST /chat`. */
export const AnswerResponse = z.object({
  answer: z.string().describe("With citations as `[[doc/p007#c0042]]`"),
  sentences: z.array(AnswerSentence),
  citations: z.array(AnswerCitation).describe("Each passage once, in the order in which the answer cites them"),
  support: SupportLabel.nullable().describe("Of the answer as a whole; null: there was nothing to check it against"),
  useful: z.boolean().nullable().describe("Whether it answers the question; null: nobody judged"),
  retrieved: z.boolean().describe("Whether documents were searched"),
  refused: z.boolean().describe("Nothing found answers it, and `answer` says so"),
  retries: z.int(),
  removed_citations: z.int().describe("Citations of what wasn't found, taken out of the answer"),
  generator: z.string().describe("`extractive`, or the language model's name"),
  usage: AnswerUsage,
  degraded: z.array(z.string()).optional().describe("What this answer had to do without, and why"),
  warnings: z.array(z.string()).optional().describe("What of the request had no effect"),
  explain: z.array(AnswerStep).optional(),
})
export type AnswerResponse = z.infer<typeof AnswerResponse>
