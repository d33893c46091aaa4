import { choice, optionalDecimal, whole } from "./environment-keys.ts"

/** Keys of the environment that say how questions are answered. */
export const answerKeys = {
  MAX_RETRIES: whole(0, 5, 3, {
    group: "Answers",
    description:
      "Most times that an answer is tried again, written anew or searched anew, where the request names no `max_retries`",
  }),
  RELEVANCE_GRADER: choice(["llm", "reranker"], "llm", {
    group: "Answers",
    description:
      "Who judges whether a passage bears on the question: the language model, one call a passage, or the reranker, which costs no tokens. Without a reranker always `llm`",
  }),
  RELEVANCE_SCORE_MIN: optionalDecimal(-100, 100, {
    group: "Answers",
    description:
      "Reranker's score from which a passage counts as relevant. Unset: .5 of `mini`'s reranker, whose scores go from 0 to 1; 0 of cross-encoders and services, whose scores are logits",
  }),
  ANSWER_CONCURRENCY: whole(1, 64, 8, {
    group: "Answers",
    description: "Calls of the language model that one answer makes at once",
  }),
  ANSWER_TOKENS_MAX: whole(5_000, 999_999_999, 50_000, {
    group: "Answers",
    description: "Most tokens, asked and answered, that one answer takes; it then ends with what there is, and says so",
  }),
  ANSWER_TOKENS_PER_DAY: whole(1_000, 999_999_999, 2_000_000, {
    group: "Answers",
    description: "Most tokens that the answers of a tenant take in a day (UTC); then 429 until the next",
  }),
  ANSWER_TIMEOUT_MS: whole(1_000, 900_000, 120_000, {
    group: "Timeouts",
    description: "Longest that an answer may take with all its retries, ms; it ends with what there is, else 504",
  }),
}
