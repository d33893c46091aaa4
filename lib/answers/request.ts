import * as z from "zod"
import { Filter } from "../search/filter.ts"
import { LanguageTag, StorableText, TenantId } from "../shapes.ts"

/** Longest question, and longest message of a conversation, in characters. */
export const QUESTION_CHARS_MAX = 8_000
/** Most messages of a conversation that is continued. */
const MESSAGES_MAX = 50
/** Most passages that an answer may stand on. */
const TOP_K_MAX = 20
/** Most times that a request may have the answer tried again. */
export const RETRIES_MAX = 5

/** A message of an earlier turn, or the last question. */
export const Turn = z.object({
  role: z.enum(["user", "assistant"]),
  content: StorableText.min(1).max(QUESTION_CHARS_MAX),
})
export type Turn = z.output<typeof Turn>

/** What `POST /answer` and `POST /chat` share: a question, or a conversation that ends in one. */
export const Asked = z.object({
  question: StorableText.max(QUESTION_CHARS_MAX).optional().describe("What to answer; or else `messages`"),
  messages: z
    .array(Turn)
    .min(1)
    .max(MESSAGES_MAX)
    .optional()
    .describe("A conversation that ends in the question, which is rewritten to stand alone"),
  source_account_id: TenantId.optional().describe(
    "Tenant; when absent the query string's, the key's only one, or `primary`",
  ),
  filter: Filter.optional().describe("Only documents whose metadata match may be found"),
  language: LanguageTag.optional().describe("Language of the question; told from its words when absent"),
  explain: z.boolean().default(false).describe("Return every step with its sizes, label, time and tokens"),
})

/** Whether exactly one of question and messages is there, with something to answer in it. */
function asksSomething({ question, messages }: z.output<typeof Asked>): boolean {
  if (question !== undefined) return messages === undefined && question.trim() !== ""
  return messages?.at(-1)?.role === "user" && messages.at(-1)?.content.trim() !== ""
}

/** What is wrong where `asksSomething` is false. */
const ASKS_NOTHING = {
  path: ["question"],
  message: "question is required, or messages whose last one is the user's, and not both",
}

/** Body of `POST /answer`, and the input of an `Answer`. */
export const AnswerRequest = Asked.extend({
  top_k: z.int().min(1).max(TOP_K_MAX).optional().describe("Passages to answer from; RETRIEVAL_K_RERANK when absent"),
  max_retries: z
    .int()
    .min(0)
    .max(RETRIES_MAX)
    .optional()
    .describe("Most retries of both loops; MAX_RETRIES when absent"),
  retrieval: z
    .enum(["auto", "always", "never"])
    .default("auto")
    .describe("`auto`: the model decides whether the question needs the documents"),
}).refine(asksSomething, ASKS_NOTHING)
export type AnswerRequest = z.output<typeof AnswerRequest>

/** Most tool calls that one chat may make. */
const TOOL_CALLS_MAX = 6

/** Body of `POST /chat`, and the input of a `Chat`. */
export const ChatRequest = Asked.extend({
  max_calls: z.int().min(1).max(TOOL_CALLS_MAX).default(TOOL_CALLS_MAX).describe("Most calls of its tools"),
}).refine(asksSomething, ASKS_NOTHING)
export type ChatRequest = z.output<typeof ChatRequest>
