import { spawn } from "node:child_process"
import { createServer } from "node:net"
import { AppError } from "../../errors.ts"

/** How long a Chroma that is started may take to answer, ms. 1 s here. */
const START_MS = 20_000

/** How long it may take to put its data away, ms. */
const STOP_MS = 5_000

export interface StartedChroma {
  readonly url: string
  stop(): Promise<void>
}

/**
 * Starts `chroma run` on a folder, for this process alone: on a free port of the loopback. The command comes with Chroma's packages
 * for npm and Python.
 *
 * @param command what to run in its place, with its first arguments
 * @throws AppError `invalid_configuration` where there is no such command, or its server doesn't come up
 */
export async function startChroma(
  folder: string,
  command: readonly [string, ...string[]] = ["chroma"],
): Promise<StartedChroma> {
  const port = await freePort()
  const [program, ...args] = command
  const child = spawn(program, [...args, "run", "--path", folder, "--host", "127.0.0.1", "--port", String(port)], {
    stdio: "ignore",
  })
  const ended = new Promise<string>((resolve) => {
    child.once("error", () => resolve("can't be run: CHROMA_URL is unset, and there is no command `chroma`"))
    child.once("exit", () => resolve("ended at once"))
  })
  const url = `http://127.0.0.1:${port}`
  // Whoever leaves without closing doesn't leave a server behind.
  const kill = () => child.kill()
  process.once("exit", kill)
  const stop = async () => {
    process.off("exit", kill)
    child.kill()
    const patience = setTimeout(() => child.kill("SIGKILL"), STOP_MS)
    await ended
    clearTimeout(patience)
  }
  const problem = await Promise.race([ended, answers(url)])
  if (problem === null) return { url, stop }
  await stop()
  throw new AppError(
    "invalid_configuration",
    `Chroma's server ${problem}. Set CHROMA_URL to one that runs, or install Chroma.`,
  )
}

/** Null once it answers, else what is wrong. */
async function answers(url: string): Promise<string | null> {
  const until = performance.now() + START_MS
  while (performance.now() < until) {
    const isUp = await fetch(`${url}/api/v2/heartbeat`).then(
      (response) => response.ok,
      () => false,
    )
    if (isUp) return null
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  return `did not answer within ${START_MS / 1_000} s`
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once("error", reject)
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === "object" && address ? address.port : 0))
    })
  })
}
