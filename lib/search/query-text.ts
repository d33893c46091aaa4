import { parseQuestion } from "./question.ts"

/**
 * What a model reads of a query: exclusions (`-word`, `-"a phrase"`) would draw it towards what they exclude, and the
 * quotes of a phrase mean nothing to it. Empty when nothing is left.
 */
export function queryText(query: string): string {
  return parseQuestion(query).words
}
