import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { cp, mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { testModelHome } from "../model-home.ts"

/** A server to be asked anything. */
export interface Fuzzed {
  readonly url: string
  /** Whether its process lives. */
  isAlive(): boolean
  /** Resident memory after a collection, and the CPU's time until then. */
  measured(): Promise<{ readonly bytes: number; readonly cpuMs: number }>
  /** The last lines that it logged as errors. */
  errors(): string
  close(): Promise<void>
}

/** Few passages for the reranker, which would take most of the time: 1 s of CPU for the 50 that are usual. */
const SMALL = { RERANK_CANDIDATES: "8", RETRIEVAL_K_INITIAL: "8", RETRIEVAL_K_MMR: "6", RETRIEVAL_K_RERANK: "3" }

/** Starts one on PGlite with the samples in it, in a home that goes with it. */
export async function startFuzzed(): Promise<Fuzzed> {
  const home = await mkdtemp(join(tmpdir(), "concordance-fuzz-"))
  await cp(join(await testModelHome(), "models"), join(home, "models"), { recursive: true })
  // biome-ignore lint/style/noProcessEnv: where node and its modules lie
  const { PATH, HOME } = process.env
  const child = fork("tests/fuzz/fuzzed-server.ts", {
    execArgv: ["--import", "tsx", "--expose-gc"],
    env: {
      ...SMALL,
      PATH,
      HOME,
      CONCORDANCE_HOME: home,
      PORT: "0",
      HOST: "127.0.0.1",
    },
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  })
  let errors = ""
  child.stderr?.on("data", (piece: Buffer) => {
    errors = (errors + piece.toString()).slice(-20_000)
  })
  const died = once(child, "exit").then(() => {
    throw new Error(`The server ended: ${errors}`)
  })
  died.catch(() => undefined)
  const { url } = (await Promise.race([answer(child), died])) as { url: string }
  return {
    url,
    isAlive: () => child.exitCode === null && child.signalCode === null,
    async measured() {
      child.send("measure")
      return (await Promise.race([answer(child), died])) as { bytes: number; cpuMs: number }
    },
    errors: () => errors,
    async close() {
      const ended = once(child, "exit")
      child.kill("SIGKILL")
      await ended
      await rm(home, { recursive: true, force: true })
    },
  }
}

async function answer(child: ChildProcess): Promise<unknown> {
  const [message] = await once(child, "message")
  return message
}
