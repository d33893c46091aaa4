import { expect, test } from "vitest"
import { AppError } from "./errors.ts"
import { createLog } from "./log.ts"

function recorder(options: { level?: "debug" | "info" | "warn" | "error"; readable?: boolean } = {}) {
  const lines: string[] = []
  return { lines, log: createLog({ level: "info", write: (line) => lines.push(line), ...options }) }
}

test("a line is one JSON object with level, time, message and the fields", () => {
  const { lines, log } = recorder()
  log.info("model ready", { model: "m", ms: 12 })
  expect(lines).toHaveLength(1)
  expect(lines[0]?.endsWith("\n")).toBe(true)
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({ level: "info", message: "model ready", model: "m", ms: 12 })
})

test("lines below the level are dropped", () => {
  const { lines, log } = recorder({ level: "warn" })
  log.info("no")
  log.warn("yes")
  log.error("yes")
  expect(lines).toHaveLength(2)
})

test("a message with a newline stays one line", () => {
  const { lines, log } = recorder()
  log.info("a\nb")
  expect(lines[0]?.trimEnd()).not.toContain("\n")
})

test("an error is logged with its causes, and never with the data it repeats", () => {
  const { lines, log } = recorder()
  const driver = Object.assign(new Error('invalid input syntax for type json: "my secret"'), {
    code: "22P02",
    detail: "my secret",
  })
  log.error("request failed", { error: new AppError("internal", "could not index", { cause: driver }) })
  let parse: unknown
  try {
    JSON.parse("my secret")
  } catch (error) {
    parse = error
  }
  log.error("request failed", { error: parse })
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({ error: { code: "internal", cause: { code: "22P02" } } })
  expect(lines.join()).not.toContain("secret")
})

test("the readable form names level, message and fields", () => {
  const { lines, log } = recorder({ readable: true })
  log.info("model ready", { model: "m", ms: 12 })
  expect(lines[0]).toMatch(/^\d\d:\d\d:\d\d info {2}model ready {2}model=m ms=12\n$/)
})
