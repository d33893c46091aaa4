import { answerRoute } from "./http/answer-route.ts"
import { streamHandler } from "./lambda/http-handler.ts"
import { openAnswering } from "./lambda/open-answering.ts"

/** `POST /answer`, `POST /chat` and `GET /answer/graph`, streamed. */
export const handler = streamHandler(async (app, { config, log, database, guard }) => {
  const { answers } = await openAnswering(config, database)
  app.route("/", answerRoute(answers, { guard, timeoutMs: config.answerTimeoutMs, log }))
})
