import * as z from "zod"
import { SupportLabel } from "../response.ts"

/** Whether the question needs the documents. */
export const RetrievalDecision = z.object({ thought: z.string(), answer: z.enum(["YES", "NO"]) })

/** Whether a passage bears on the question. */
export const RelevanceGrade = z.object({ thought: z.string(), answer: z.enum(["YES", "NO"]) })

/** How far passages prove statements. */
export const SupportGrade = z.object({ thought: z.string(), label: SupportLabel })

/** Whether an answer answers the question. */
export const UsefulnessGrade = z.object({ thought: z.string(), label: z.enum(["useful", "not_useful"]) })

/** The question as another search. */
export const RewrittenQuery = z.object({ query: z.string() })

/** Longest answer in one of these shapes, tokens: a thought of 30 words takes about 60. */
export const GRADE_TOKENS = 400
