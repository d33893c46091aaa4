import { AppError } from "../lib/errors.ts"
import type { Answers } from "./http/answer-route.ts"

/** Stands in for the answers until their branch is merged, which deletes this file. */
export const placeholderAnswers: Answers = {
  answer: () => Promise.reject(new AppError("inference_unavailable", "This build answers nothing yet")),
  chat: () => Promise.reject(new AppError("inference_unavailable", "This build answers nothing yet")),
  drawGraph: async () => "graph TD;",
}
