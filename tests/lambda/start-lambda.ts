import { type ChildProcess, spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { dirname } from "node:path"
import { fileURLToPath } from "node:url"
import { type LambdaResult, startRuntimeApi } from "./runtime-api.ts"

interface LambdaOptions {
  /** Path of the bundle without its ending, and the export: `/tmp/code/handler.handler`. */
  readonly bundle: string
  /** Beside what Lambda sets. Nothing of this process's environment is handed on. */
  readonly env?: Readonly<Record<string, string>>
  /** How long one invocation may take before its process is killed, as Lambda does. */
  readonly timeoutMs: number
}

/** A function as Lambda would run it on one instance. */
export interface StartedLambda {
  /** One at a time, in the order of the calls. A process that is gone is started anew by the next call. */
  invoke(event: unknown): Promise<LambdaResult>
  /** What it wrote to stdout and stderr so far. */
  output(): string
  /** Ends its process at once, as running out of memory does. */
  kill(): void
  /** The running process; for measuring. */
  pid(): number | undefined
  stop(): Promise<void>
}

/** SST's runtime loop in plain JavaScript; `npm run infra:install` puts it there. */
const LOOP = fileURLToPath(new URL("../../.sst/platform/dist/nodejs-runtime/index.js", import.meta.url))

/** Starts a bundle in the runtime loop, against a Runtime API of ours. */
export async function startLambda({ bundle, env = {}, timeoutMs }: LambdaOptions): Promise<StartedLambda> {
  if (!existsSync(LOOP)) throw new Error(`${LOOP} is missing: run npm run infra:install`)
  const api = await startRuntimeApi(timeoutMs)
  const written: Buffer[] = []
  let child: ChildProcess | null = null
  let last: Promise<unknown> = Promise.resolve()

  function start(): ChildProcess {
    const root = dirname(bundle)
    const started = spawn(process.execPath, [LOOP, bundle], {
      cwd: root,
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        PATH: dirname(process.execPath),
        TZ: ":UTC",
        AWS_LAMBDA_RUNTIME_API: api.address,
        AWS_LAMBDA_FUNCTION_NAME: "tested",
        AWS_LAMBDA_FUNCTION_VERSION: "$LATEST",
        AWS_LAMBDA_FUNCTION_MEMORY_SIZE: "2048",
        AWS_REGION: "eu-central-1",
        LAMBDA_TASK_ROOT: root,
        ...env,
      },
    })
    for (const stream of [started.stdout, started.stderr]) stream?.on("data", (part: Buffer) => written.push(part))
    started.once("exit", (code, signal) => {
      if (child !== started) return
      child = null
      api.fail("Runtime.ExitError", `the process ended with ${signal ?? code}`)
    })
    return started
  }

  async function run(event: unknown): Promise<LambdaResult> {
    child ??= start()
    const timer = setTimeout(() => {
      const late = child
      child = null
      api.fail("Sandbox.Timedout", `Task timed out after ${timeoutMs / 1000} seconds`)
      late?.kill("SIGKILL")
    }, timeoutMs)
    try {
      return await api.invoke(event)
    } finally {
      clearTimeout(timer)
    }
  }

  child = start()
  return {
    invoke(event) {
      const result = last.then(() => run(event))
      last = result
      return result
    },
    output: () => Buffer.concat(written).toString("utf8"),
    kill: () => void child?.kill("SIGKILL"),
    pid: () => child?.pid,
    async stop() {
      const running = child
      child = null
      if (running && running.exitCode === null) {
        const gone = new Promise((resolve) => running.once("exit", resolve))
        running.kill("SIGKILL")
        await gone
      }
      api.fail("Runtime.ExitError", "stopped")
      await api.close()
    },
  }
}
