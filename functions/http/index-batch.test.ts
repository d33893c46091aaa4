import { describe, expect, test } from "vitest"
import { AppError } from "../../lib/errors.ts"
import { createTestApp } from "./test-app.ts"

const NDJSON = { "content-type": "application/x-ndjson" }

function linesOf(text: string): Record<string, unknown>[] {
  return text
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line))
}

const document = (id: string, more: object = {}) => JSON.stringify({ id, content: "text", ...more })

describe("POST /index/batch", () => {
  test("answers a line for each, in order, and a broken line fails alone", async () => {
    const { send, reached } = createTestApp()
    const body = [document("a"), "{oops", document("b", { foo: 1 }), "", '{"id":"c"}', '{"content":"x"}', document("d")]
    const response = await send("POST", "/index/batch", body.join("\n"), NDJSON)
    expect(response.status).toBe(200)
    expect(response.headers.get("content-type")).toBe("application/x-ndjson")
    expect(linesOf(await response.text())).toMatchObject([
      { line: 1, id: "a", status: "indexed" },
      { line: 2, status: "failed", code: "invalid_request", errors: [{ field: "body" }] },
      { line: 3, id: "b", status: "indexed", warnings: ['unknown field "foo" was ignored'] },
      { line: 5, id: "c", status: "failed", code: "invalid_request", errors: [{ field: "content" }] },
      { line: 6, status: "failed", errors: [{ field: "id" }] },
      { line: 7, id: "d", status: "indexed" },
    ])
    expect(reached.map(({ request }) => (request as { id: string }).id)).toEqual(["a", "b", "d"])
  })

  test("CRLF line ends, a missing last newline and an empty body are fine", async () => {
    const { send } = createTestApp()
    const response = await send("POST", "/index/batch", `${document("a")}\r\n\r\n${document("b")}`, NDJSON)
    expect(linesOf(await response.text())).toMatchObject([{ line: 1 }, { line: 3 }])
    const empty = await send("POST", "/index/batch", "", NDJSON)
    expect(empty.status).toBe(200)
    expect(await empty.text()).toBe("")
  })

  test("lines go to the index in groups of 64 at most, one call a tenant", async () => {
    const calls: [string, number][] = []
    const { send } = createTestApp({
      indexDocuments: async (tenant, requests) => {
        calls.push([tenant, requests.length])
        return requests.map(({ id }) => ({ id, indexed: { status: "indexed" } }))
      },
    })
    const lines = Array.from({ length: 100 }, (_, i) =>
      document(`d${i}`, { source_account_id: i % 2 ? "odd" : "even" }),
    )
    const results = linesOf(await (await send("POST", "/index/batch", lines.join("\n"), NDJSON)).text())
    expect(results.map(({ id }) => id)).toEqual(Array.from({ length: 100 }, (_, i) => `d${i}`))
    expect(calls).toEqual([
      ["even", 32],
      ["odd", 32],
      ["even", 18],
      ["odd", 18],
    ])
  })

  test("a line cut anywhere by the network is one line, multi-byte characters included", async () => {
    const { send, reached } = createTestApp()
    const bytes = Buffer.from(`${document("é📚")}\n${document("b")}\n`)
    const body = new ReadableStream<Uint8Array>({
      start: (stream) => {
        for (const byte of bytes) stream.enqueue(Uint8Array.of(byte))
        stream.close()
      },
    })
    const results = linesOf(await (await send("POST", "/index/batch", body, NDJSON)).text())
    expect(results.map(({ id }) => id)).toEqual(["é📚", "b"])
    expect(reached).toHaveLength(2)
  })

  test("a line over the limit fails alone", async () => {
    const { send } = createTestApp()
    const body = [document("a"), document("b", { content: "x".repeat(10_000_000) }), document("c")].join("\n")
    expect(linesOf(await (await send("POST", "/index/batch", body, NDJSON)).text())).toMatchObject([
      { line: 1, status: "indexed" },
      { line: 2, status: "failed", code: "payload_too_large", errors: [{ field: "line" }] },
      { line: 3, status: "indexed" },
    ])
  })

  test("a group that fails whole, and a document that fails alone, say so line by line", async () => {
    const { send, lines } = createTestApp({
      indexDocuments: async (tenant, requests) => {
        if (tenant === "down") throw new Error("s3cret")
        return requests.map(({ id }) => ({ id, failed: new AppError("inference_unavailable", "why") }))
      },
    })
    const body = [document("a", { source_account_id: "down" }), document("b")].join("\n")
    const text = await (await send("POST", "/index/batch", body, NDJSON)).text()
    expect(linesOf(text)).toMatchObject([
      { id: "a", status: "failed", code: "internal" },
      { id: "b", status: "failed", code: "inference_unavailable", detail: "why" },
    ])
    expect(text).not.toContain("s3cret")
    expect(lines.join()).toContain("s3cret")
  })

  test("results come while lines still arrive, and an unread answer stops the reading", async () => {
    const { send } = createTestApp()
    let pulled = 0
    const endless = new ReadableStream<Uint8Array>({
      pull: (stream) => {
        pulled++
        // An id of 1 kB makes results big: the 8 MB that may wait are full after some 8,000 lines.
        stream.enqueue(Buffer.from(`${document("x".repeat(1_000))}\n`.repeat(100)))
      },
    })
    const response = await send("POST", "/index/batch", endless, NDJSON)
    const reader = response.body?.getReader()
    const first = await reader?.read()
    expect(linesOf(Buffer.from(first?.value ?? []).toString())).toHaveLength(64)
    let before = -1
    while (before !== pulled) {
      before = pulled
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    expect(pulled).toBeGreaterThan(10)
    expect(pulled).toBeLessThan(200)
    await reader?.cancel()
  })
})
