import { openPort } from "../../functions/open-port.ts"
import { createServerApp } from "../../functions/server-app.ts"
import { parseConfig } from "../../lib/config.ts"
import { deadlineIn } from "../../lib/deadline.ts"
import { IndexRequest } from "../../lib/documents/index-request.ts"
import { createLog } from "../../lib/log.ts"
import { openRuntime, type Runtime } from "../../lib/runtime/open-runtime.ts"
import { startFakeLlm } from "../fake-llm.ts"
import { testModelHome } from "../model-home.ts"

/** What tries to ring, to set the title of the window, to move the cursor (C0 and C1) and to turn a line around. */
const HOSTILE = "\u0007\u001b]0;owned\u0007\u001b[2J\u009b2J\u202eevil\u2066\u200f"

/** The whole server on a port, as `npm start` has it, with the graph over a double of the language model. */
export async function serveAnswers({ port = 0 }: { readonly port?: number } = {}) {
  const llm = await startFakeLlm(({ name, user }) => {
    const thought = "It says so."
    const [, question = ""] = /^\{"question":"(.*?)"\}$/m.exec(user) ?? []
    if (name === "RelevanceGrade") return { content: { thought, answer: question.includes("Mars") ? "NO" : "YES" } }
    if (name === "text") return { rawContent: textFor(question), delayMs: question.includes("slowly") ? 60_000 : 0 }
    if (name === "SupportGrade") return { content: { thought, label: labelFor(user) } }
    if (name === "RewrittenQuery") return { content: { query: "another query" } }
    if (name === "rewritten_question") return { content: { question: "Who kept the lighthouse? (rewritten)" } }
    return { content: { thought, label: "useful", answer: "YES" } }
  })
  const log = createLog({ level: "error", write: () => undefined })
  const config = parseConfig({
    CONCORDANCE_HOME: await testModelHome(),
    EMBEDDING_MODEL: "none",
    RERANK_MODEL: "none",
    LLM_BASE_URL: llm.baseUrl,
    LLM_MODEL: "double",
    ENRICH_DOCUMENTS: "false",
  })
  const runtime = await openRuntime(config, { log, databaseHome: "memory://" })
  const served = await openPort(createServerApp(runtime, { config, policy: "keys", log }), { host: "127.0.0.1", port })
  const documents = [
    { id: "keeper", title: "The keeper", content: "Amaro Pinto kept the lighthouse until 1957." },
    { id: "attack", title: `Attack${HOSTILE}`, content: `The attack on the quay ${HOSTILE} came at night.` },
  ]
  const requests = documents.map((document) => IndexRequest.parse(document))
  await runtime.indexDocuments("primary", requests, deadlineIn(60_000))
  await runtime.importBundle("primary", "samples/bundles/andorinha-inquiry-1934")
  const key = async (scope: "search" | "index") =>
    (await runtime.keys.create({ name: "test", tenants: ["primary"], scopes: [scope] })).key
  return {
    ...{ url: served.url, llm },
    /** Text of a passage with a picture of its own. */
    pictured: await picturedText(runtime),
    keys: { search: await key("search"), index: await key("index") },
    async close() {
      await llm.close()
      await served.close()
      await runtime.close()
    },
  }
}

async function picturedText({ documentPages }: Runtime): Promise<string> {
  for (let page = 1; page <= 7; page++) {
    const { chunks } = await documentPages.get("primary", "andorinha-inquiry-1934", page)
    const found = chunks.find(({ crop_url }) => crop_url !== undefined)
    if (found) return found.content
  }
  throw new Error("The bundle has no picture")
}

function textFor(question: string): string {
  if (question.includes("attack")) return `It came at night ${HOSTILE} [Doc 1].`
  if (question.includes("doubtful")) return "Amaro Pinto kept it [Doc 1]. He was two metres tall [Doc 1]."
  return "Amaro Pinto kept it until 1957 [Doc 1]."
}

const labelFor = (user: string): string => (user.includes("two metres") ? "not_supported" : "fully_supported")
