import { choice, optionalDecimal, whole } from "./environment-keys.ts"

/** Keys of the environment that say how questions are answered. */
export const answerKeys = {
  MAX_RETRIES: whole(0, 5, 3, {
    group: "Answers",
  }),
  RELEVANCE_GRADER: choice(["llm", "reranker"], "llm", {
    group: "Answers",
  }),
  RELEVANCE_SCORE_MIN: optionalDecimal(-100, 100, {
    group: "Answers",
  }),
  ANSWER_CONCURRENCY: whole(1, 64, 8, {
    group: "Answers",
  }),
  // A search and its answer in a chat: prompts of 960 and 4,000 tokens, two messages of 1,024, and 1,600 to judge a sentence.
  ANSWER_TOKENS_MAX: whole(10_000, 999_999_999, 50_000, {
    group: "Answers",
  }),
  ANSWER_TOKENS_PER_DAY: whole(1_000, 999_999_999, 2_000_000, {
    group: "Answers",
  }),
  ANSWER_TIMEOUT_MS: whole(1_000, 900_000, 120_000, {
    group: "Timeouts",
  }),
}
