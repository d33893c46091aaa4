import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { AccessPolicy } from "../functions/http/auth.ts"
import { createServerApp } from "../functions/server-app.ts"
import { type Config, parseConfig } from "../lib/config.ts"
import { openPglite } from "../lib/database/pglite.ts"
import { createLog } from "../lib/log.ts"
import type { FileReading } from "../lib/runtime/open-file-reading.ts"
import { openRuntime, type Runtime } from "../lib/runtime/open-runtime.ts"
import { migratedDump } from "./migrated-dump.ts"
import { testModelHome } from "./model-home.ts"

/** The whole product in this process, database and models real, asked over HTTP without a socket. */
export interface Served {
  readonly runtime: Runtime
  readonly config: Config
  /** Lines that the service logged. */
  readonly lines: string[]
  send(method: string, path: string, body?: string | FormData, headers?: Record<string, string>): Promise<Response>
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Response>
  close(): Promise<void>
}

interface ServeOptions {
  /** Who needs a key; nobody without it. */
  readonly policy?: AccessPolicy
  readonly environment?: Record<string, string>
  /** Reads files in place of the product's own reader. */
  readonly fileReading?: FileReading
  /** Begins with a migrated database in a folder that goes with it: 2 s in place of 8. */
  readonly isMigrated?: boolean
}

/** Opens it on an empty embedded database, or on the one that `environment` names. */
export async function serve(options: ServeOptions = {}): Promise<Served> {
  const { policy = "open", environment = {}, fileReading, isMigrated = false } = options
  const folder = isMigrated ? await migratedFolder() : null
  const removeFolder = async () => {
    if (folder) await rm(folder, { recursive: true, force: true })
  }
  const lines: string[] = []
  const config = parseConfig({ CONCORDANCE_HOME: await testModelHome(), ...environment })
  const log = createLog({ level: "debug", write: (line) => lines.push(line) })
  const databaseHome = folder ?? "memory://"
  const runtime = await openRuntime(config, { log, databaseHome, ...(fileReading && { fileReading }) }).catch(
    async (error: unknown) => {
      await removeFolder()
      throw error
    },
  )
  await runtime.inference.warm()
  const app = createServerApp(runtime, { config, policy, log })
  const send: Served["send"] = async (method, path, body, headers = {}) =>
    app.request(path, {
      method,
      headers: { ...(!(body instanceof FormData) && { "content-type": "application/json" }), ...headers },
      ...(body && { body }),
    })
  return {
    runtime,
    config,
    lines,
    send,
    post: (path, body, headers) => send("POST", path, typeof body === "string" ? body : JSON.stringify(body), headers),
    close: async () => {
      await runtime.close()
      await removeFolder()
    },
  }
}

async function migratedFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "concordance-served-"))
  const { database } = await openPglite({ home: folder, loadDataDir: await migratedDump() })
  await database.close()
  return folder
}
