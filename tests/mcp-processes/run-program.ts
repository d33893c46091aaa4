import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"

/** What a program wrote, and how it ended. */
export interface Ended {
  readonly out: string
  readonly err: string
  readonly status: number | null
}

const ROOT = fileURLToPath(new URL("../..", import.meta.url))

/** Runs a Node program of a package to its end; after two minutes it is killed. */
export function runProgram(path: string, args: readonly string[], env: Record<string, string> = {}): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [path, ...args], {
      cwd: ROOT,
      stdio: ["ignore", "pipe", "pipe"],
      // biome-ignore lint/style/noProcessEnv: it runs as from a user's shell
      env: { ...process.env, NO_COLOR: "1", ...env },
      timeout: 120_000,
    })
    let out = ""
    let err = ""
    child.stdout.on("data", (part) => (out += part))
    child.stderr.on("data", (part) => (err += part))
    child.once("error", reject)
    child.once("close", (status) => resolve({ out, err, status }))
  })
}
