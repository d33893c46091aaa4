import { printable } from "../terminal.ts"

/** The graph's steps in words for a person. */
const WORDS: Readonly<Record<string, string>> = {
  rewrite_question: "Putting the question in full",
  retrieval_decision: "Deciding whether to search",
  retrieve: "Searching the documents",
  relevance_grader: "Judging what was found",
  context_builder: "Putting the passages together",
  sentence_selector: "Choosing sentences",
  answerability_grader: "Judging whether it can be answered",
  generator: "Writing the answer",
  support_grader: "Checking each sentence against its sources",
  usefulness_grader: "Checking that it answers the question",
  increment_retry: "Writing it anew",
  increment_retry_for_retrieval: "Searching with other words",
}

/** A progress message of the server, `relevance_grader: 3 of 8 relevant (812 ms)`, as it may be shown. */
export function stepWords(message: string): string {
  const [, node = "", label] = /^(\w+)(?:: (.*?))?(?: \(\d+ ms\))?$/s.exec(message) ?? []
  const words = WORDS[node] ?? printable(node || message).replaceAll("_", " ")
  return label === undefined ? `${words} …` : `${words}: ${printable(label).replaceAll("_", " ")}`
}
