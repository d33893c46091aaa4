import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, afterEach, beforeAll, expect, test } from "vitest"
import type { LambdaResult } from "./runtime-api.ts"
import { type StartedLambda, startLambda } from "./start-lambda.ts"

// The emulator itself: what other tests of this folder conclude from it rests on these.

const FUNCTION = `
  let calls = 0
  export const handler = async (event, context) => {
    calls++
    if (event === "throw") throw new TypeError("no")
    if (event === "exit") process.exit(3)
    if (event === "hang") await new Promise((resolve) => setTimeout(resolve, 60_000))
    console.log("saw", event)
    return { event, calls, leftMs: context.getRemainingTimeInMillis(), secret: process.env.SECRET, home: process.env.HOME }
  }
  export const streams = awslambda.streamifyResponse(async (event, stream) => {
    const out = awslambda.HttpResponseStream.from(stream, { statusCode: 201 })
    out.write("one ")
    out.end("two")
  })
`

let folder: string
let lambda: StartedLambda
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "concordance-lambda-"))
  await writeFile(join(folder, "tested.mjs"), FUNCTION)
  await writeFile(join(folder, "broken.mjs"), 'throw new Error("no settings")')
})
afterEach(() => lambda.stop())
afterAll(() => rm(folder, { recursive: true }))

const started = async (name: string, timeoutMs = 20_000) => {
  lambda = await startLambda({ bundle: join(folder, name), timeoutMs, env: { SECRET: "given" } })
  return lambda
}

test("one instance answers call after call, and knows its environment and deadline, nothing of ours", async () => {
  const { invoke, output } = await started("tested.handler")
  const [first, second] = (await Promise.all([invoke({ a: 1 }), invoke("ü")])) as [LambdaResult, LambdaResult]
  expect(first).toMatchObject({ payload: { event: { a: 1 }, calls: 1, secret: "given" }, error: null })
  expect(second.payload).toMatchObject({ event: "ü", calls: 2 })
  const { leftMs, home } = first.payload as { leftMs: number; home?: string }
  expect(leftMs).toBeGreaterThan(15_000)
  expect(leftMs).toBeLessThanOrEqual(20_000)
  expect(home).toBeUndefined()
  expect(output()).toContain("saw { a: 1 }")
})

test("what is thrown is told by name; the instance lives on", async () => {
  const { invoke } = await started("tested.handler")
  expect((await invoke("throw")).error).toEqual({ errorType: "TypeError", errorMessage: "no" })
  expect((await invoke(1)).payload).toMatchObject({ calls: 2 })
})

test("a process that ends, or takes too long, fails its call; the next one finds a new process", async () => {
  const { invoke } = await started("tested.handler", 1_500)
  expect((await invoke("exit")).error).toMatchObject({ errorType: "Runtime.ExitError" })
  expect((await invoke(1)).payload).toMatchObject({ calls: 1 })
  expect((await invoke("hang")).error).toMatchObject({ errorType: "Sandbox.Timedout" })
  expect((await invoke(1)).payload).toMatchObject({ calls: 1 })
})

test("a function whose import fails says why", async () => {
  const { invoke } = await started("broken.handler")
  expect((await invoke(1)).error).toMatchObject({ errorMessage: "no settings" })
})

test("a stream comes as its prelude and its body", async () => {
  const { invoke } = await started("tested.streams")
  const { body, payload } = await invoke({})
  expect(payload).toBeNull()
  const [prelude = "", text] = body.toString("utf8").split("\0".repeat(8))
  expect(JSON.parse(prelude)).toMatchObject({ statusCode: 201 })
  expect(text).toBe("one two")
})
