import { type ChildProcess, spawn } from "node:child_process"
import { mkdtemp, rm, symlink } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"

const REPOSITORY = fileURLToPath(new URL("..", import.meta.url))

interface SoakServer {
  readonly url: string
  readonly pid: number
  close(): Promise<void>
}

/** The Node server as a process of its own, on this database, with a home that goes with it. */
export async function startSoakServer(databaseUrl: string, modelHome: string): Promise<SoakServer> {
  const home = await mkdtemp(join(tmpdir(), "concordance-soak-"))
  await symlink(resolve(modelHome, "models"), join(home, "models"))
  const child = spawn(process.execPath, ["--import", "tsx", "functions/server.ts"], {
    cwd: REPOSITORY,
    env: {
      PATH: "/usr/bin:/bin",
      PORT: "0",
      CONCORDANCE_HOME: home,
      DATABASE_URL: databaseUrl,
      CONCORDANCE_SERVE_WITHOUT_KEYS: "true",
      LOG_LEVEL: "info",
    },
    stdio: ["ignore", "ignore", "pipe"],
  })
  const ended = new Promise<void>((done) => child.on("exit", () => done()))
  const url = await listening(child)
  return {
    url,
    pid: child.pid ?? 0,
    async close() {
      child.kill("SIGTERM")
      await ended
      await rm(home, { recursive: true, force: true })
    },
  }
}

async function listening(child: ChildProcess): Promise<string> {
  let written = ""
  child.stderr?.on("data", (data) => {
    // Only its beginning is looked at; the rest of half an hour must not be kept.
    if (written.length < 100_000) written += data
  })
  while (child.exitCode === null) {
    const url = /"message":"listening","url":"([^"]+)"/.exec(written)?.[1]
    if (url) return url
    await sleep(50)
  }
  throw new Error(`the server ended: ${written}`)
}
