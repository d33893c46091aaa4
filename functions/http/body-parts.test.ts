import { Hono } from "hono"
import { expect, test } from "vitest"
import { bodyParts } from "./body-parts.ts"
import type { Edge } from "./edge.ts"
import { toAppError } from "./errors.ts"

/** Sends the parts, each after so many ms, and then nothing. */
function slowly(parts: readonly number[], onCancel: () => void = () => {}) {
  const rest = parts.values()
  return new ReadableStream<Uint8Array>({
    async pull(stream) {
      const { done, value } = rest.next()
      if (done) return new Promise(() => {})
      await new Promise((resolve) => setTimeout(resolve, value))
      stream.enqueue(new Uint8Array([1]))
    },
    cancel: onCancel,
  })
}

async function readingOf(body: ReadableStream<Uint8Array>, times: { silenceMs: number; totalMs?: number }) {
  const app = new Hono<Edge>().post("/", async (c) => {
    let bytes = 0
    try {
      for await (const part of bodyParts(c, times)) bytes += part.byteLength
      return c.json({ bytes })
    } catch (error) {
      const { code, fields } = toAppError(error)
      return c.json({ bytes, code, fields })
    }
  })
  return (await app.request("/", { method: "POST", body, duplex: "half" } as RequestInit)).json()
}

test("a body that falls silent is refused, and its stream let go", async () => {
  let cancelled = false
  const body = slowly([0, 0], () => {
    cancelled = true
  })
  expect(await readingOf(body, { silenceMs: 50 })).toMatchObject({
    bytes: 2,
    code: "body_too_slow",
    fields: [{ field: "body", message: expect.stringContaining("0.05 s") }],
  })
  expect(cancelled).toBe(true)
})

test("one that trickles for ever is refused when its time is over", async () => {
  const body = slowly(Array(1_000).fill(10))
  expect(await readingOf(body, { silenceMs: 5_000, totalMs: 200 })).toMatchObject({ code: "body_too_slow" })
})

test("one that is slow and ends is read", async () => {
  const body = new ReadableStream<Uint8Array>({
    async pull(stream) {
      await new Promise((resolve) => setTimeout(resolve, 20))
      stream.enqueue(new Uint8Array(3))
      stream.close()
    },
  })
  expect(await readingOf(body, { silenceMs: 5_000 })).toEqual({ bytes: 3 })
})
