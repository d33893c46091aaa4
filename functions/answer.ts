import { servedAnswers } from "../lib/runtime/served-calls.ts"
import { answerRoute } from "./http/answer-route.ts"
import { streamHandler } from "./lambda/http-handler.ts"
import { openAnswering } from "./lambda/open-answering.ts"
import { openUsage } from "./lambda/open-usage.ts"

/** CloudFront waits 60 s for a first byte (infra/api.ts); our own error has to come before its. */
const SILENT_MS = 58_000

/** `POST /answer`, `POST /chat` and `GET /answer/graph`, streamed. */
export const handler = streamHandler(async (app, { config, log, database, guard }) => {
  const opened = await openAnswering(config, database)
  const answers = servedAnswers(opened.answers, openUsage({ config, database, log }))
  app.route("/", answerRoute(answers, { guard, timeoutMs: config.answerTimeoutMs, silentMs: SILENT_MS, log }))
})
