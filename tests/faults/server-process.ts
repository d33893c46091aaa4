import { type ChildProcess, spawn } from "node:child_process"
import { mkdtemp, rm, symlink } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { openPglite } from "../../lib/database/pglite.ts"
import { migratedDump } from "../migrated-dump.ts"
import { testModelHome } from "../model-home.ts"

const REPOSITORY = fileURLToPath(new URL("../..", import.meta.url))

/** Settings of a server that finds by words alone, and starts in half the time. */
export const WITHOUT_MODELS = { EMBEDDING_MODEL: "none", RERANK_MODEL: "none" } as const

/** The product as a process. */
export interface ServerProcess {
  readonly url: string
  readonly child: ChildProcess
  /** What it logged so far. */
  log(): string
  /** Its exit status; null when a signal ended it. */
  readonly ended: Promise<number | null>
  kill(signal?: NodeJS.Signals): Promise<number | null>
}

/** A home with the models in it; `isMigrated`: with a database too, so that a start takes 2 s in place of 10. */
export async function makeHome(parent = tmpdir(), { isMigrated = true } = {}): Promise<string> {
  const home = await mkdtemp(join(parent, "concordance-faults-"))
  await symlink(join(await testModelHome(), "models"), join(home, "models"))
  if (!isMigrated) return home
  const { database, owner } = await openPglite({ home, loadDataDir: await migratedDump() })
  // One document that was there and is deleted: no samples are loaded.
  await owner.session((session) =>
    session.query(
      "insert into concordance.documents (source_account_id, id, status) values ('elsewhere', 'was-here', 'deleted')",
    ),
  )
  await database.close()
  return home
}

/** Starts `functions/<program>.ts` and waits until it listens. */
export async function startServer(
  environment: Readonly<Record<string, string>>,
  program = "functions/server.ts",
): Promise<ServerProcess> {
  const child = spawn(process.execPath, ["--import", "tsx", program], {
    cwd: REPOSITORY,
    env: { PATH: "/usr/bin:/bin", PORT: "0", ...environment },
    stdio: ["ignore", "ignore", "pipe"],
  })
  let written = ""
  child.stderr?.on("data", (data) => (written += data))
  let over = false
  const ended = new Promise<number | null>((resolve) => {
    child.on("exit", (status) => {
      over = true
      resolve(status)
    })
  })
  for (;;) {
    const url = /"message":"listening","url":"([^"]+)"/.exec(written)?.[1]
    if (url) {
      const kill = (signal: NodeJS.Signals = "SIGKILL") => {
        child.kill(signal)
        return ended
      }
      return { url, child, log: () => written, ended, kill }
    }
    if (over) throw new Error(`the server ended: ${written}`)
    await sleep(20)
  }
}

/** What one request came to; `status` 0: the connection broke. */
export interface Answered {
  readonly status: number
  readonly code: string | undefined
  readonly retryAfter: string | null
  readonly ms: number
  readonly body: Record<string, unknown>
}

/** Sends a request, and never throws. */
export async function ask(
  url: string,
  path: string,
  body?: object | FormData,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answered> {
  const began = performance.now()
  const isForm = body instanceof FormData
  try {
    const response = await fetch(url + path, {
      ...(body && { method: "POST", body: isForm ? body : JSON.stringify(body) }),
      headers: { ...headers, ...(body && !isForm && { "content-type": "application/json" }) },
    })
    const text = await response.text()
    const parsed = text.startsWith("{") ? (JSON.parse(text) as Record<string, unknown>) : {}
    const code = parsed["code"] as string | undefined
    const retryAfter = response.headers.get("retry-after")
    return { status: response.status, code, retryAfter, ms: performance.now() - began, body: parsed }
  } catch {
    return { status: 0, code: undefined, retryAfter: null, ms: performance.now() - began, body: {} }
  }
}

/** So many sentences, no two alike: of equal ones a document has equal chunks. */
export function numbered(what: string, count: number): string {
  return Array.from({ length: count }, (_, i) => `Entry ${i} ${what}.`).join(" ")
}

/** A text file as a browser would send it. */
export function form(id: string, text: string): FormData {
  const data = new FormData()
  data.set("id", id)
  data.set("file", new File([text], `${id}.txt`, { type: "text/plain" }))
  return data
}

/** Removes homes. */
export async function removeFolder(folder: string | undefined): Promise<void> {
  if (folder) await rm(folder, { recursive: true, force: true, maxRetries: 3 })
}
