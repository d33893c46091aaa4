import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { getRequestListener } from "@hono/node-server"
import { createParser, type EventSourceMessage } from "eventsource-parser"
import { afterEach, describe, expect, test, vi } from "vitest"
import type { Answer } from "../../lib/answers/answer.ts"
import { AppError } from "../../lib/errors.ts"
import { createTestApp } from "./test-app.ts"

const EVENTS = { accept: "text/event-stream" }
const citation = { citation: "[[moon#c0001]]", id: "moon", chunk_id: "c0001", title: "Moon", content: "…", score: 1 }

/** The app with an answer of one's own, beside the refusal that the others give. */
function withAnswer(make: (refuse: Answer) => Answer) {
  const plain = createTestApp()
  const refuse: Answer = async () => (await (await plain.post("/answer", { question: "x" })).json()) as never
  const answer = make(refuse)
  return createTestApp({ answers: { answer, chat: answer as never, drawGraph: async () => "graph TD;" } })
}

function eventsIn(text: string): { event: string | undefined; data: unknown }[] {
  const events: EventSourceMessage[] = []
  createParser({ onEvent: (event) => events.push(event) }).feed(text)
  return events.map(({ event, data }) => ({ event, data: JSON.parse(data) }))
}

const talkative =
  (refuse: Answer): Answer =>
  async (tenant, request, deadline, onEvent) => {
    onEvent?.({ type: "step", node: "retrieve", status: "started" })
    onEvent?.({ type: "token", text: "a\nb" })
    onEvent?.({ type: "citation", citation })
    return refuse(tenant, request, deadline)
  }

afterEach(() => {
  vi.useRealTimers()
})

describe.each(["/answer", "/chat"])("%s", (path) => {
  test("what is streamed ends in what the JSON answer is, with the events before it in their order", async () => {
    const { post } = withAnswer(talkative)
    const json = await post(path, { question: "Why?", colour: 1 })
    const stream = await post(path, { question: "Why?", colour: 1 }, EVENTS)
    expect(stream.headers.get("content-type")).toMatch(/^text\/event-stream/)
    expect(stream.headers.get("x-accel-buffering")).toBe("no")
    for (const { headers } of [json, stream]) expect(headers.get("cache-control")).toBe("no-store")
    const body = await json.json()
    expect(body).toMatchObject({ refused: true, warnings: [expect.stringContaining("colour")] })
    expect(eventsIn(await stream.text())).toEqual([
      { event: "step", data: { node: "retrieve", status: "started" } },
      { event: "token", data: { text: "a\nb" } },
      { event: "citation", data: { citation } },
      { event: "done", data: body },
    ])
  })

  test.each([
    [{}, "question"],
    [{ question: "  " }, "question"],
    [{ question: "x", messages: [{ role: "user", content: "x" }] }, "question"],
    [
      {
        messages: [
          { role: "user", content: "x" },
          { role: "assistant", content: "y" },
        ],
      },
      "question",
    ],
    [{ messages: [{ role: "user", content: "" }] }, "messages.0.content"],
    [{ messages: [{ role: "system", content: "obey" }] }, "messages.0.role"],
    [{ question: "x".repeat(8_001) }, "question"],
  ])(
    "input %#, without a question or with a wrong one, is refused by the field's name, streamed or not",
    async (body, field) => {
      const { post, reached } = createTestApp()
      for (const headers of [{}, EVENTS]) {
        const refused = await post(path, body, headers)
        expect(refused.status).toBe(400)
        expect(await refused.json()).toMatchObject({
          code: "invalid_request",
          errors: expect.arrayContaining([expect.objectContaining({ field })]),
        })
      }
      expect(reached).toEqual([])
    },
  )

  test.each([
    ["text/event-stream;q=0", "application/json"],
    ["application/json, text/event-stream; Q=0.000", "application/json"],
    ["text/event-stream;q=0.5", "text/event-stream"],
    ["application/json, Text/Event-Stream ;q=1", "text/event-stream"],
    ["text/event-streams", "application/json"],
  ])("Accept %j is answered with %s", async (accept, type) => {
    const response = await createTestApp().post(path, { question: "x" }, { accept })
    expect(response.headers.get("content-type")).toContain(type)
  })

  test("a key's tenant is asked and no other", async () => {
    const { post, reached } = createTestApp({ policy: "keys" })
    const own = { authorization: "Bearer reader" }
    expect((await post(path, { question: "x" }, own)).status).toBe(200)
    expect(reached).toMatchObject([{ tenant: "acme", request: { question: "x" } }])
    expect((await post(path, { question: "x", source_account_id: "other" }, own)).status).toBe(403)
    expect((await post(path, { question: "x" })).status).toBe(401)
  })

  test("a failure amid the stream is its last event: a problem, logged where it is ours", async () => {
    const { post, lines } = withAnswer((refuse) => async (...asked) => {
      await talkative(refuse)(...asked)
      throw new AppError("inference_unavailable", "The language model does not answer")
    })
    const events = eventsIn(await (await post(path, { question: "secret" }, EVENTS)).text())
    expect(events.at(-1)).toMatchObject({
      event: "error",
      data: { code: "inference_unavailable", status: 503, request_id: expect.any(String) },
    })
    expect(lines.filter((line) => line.includes("request failed"))).toHaveLength(1)
    expect(lines.join()).not.toContain("secret")
  })

  test("a day's tokens that run out amid the stream say when there are more: an event has no Retry-After", async () => {
    const { post } = withAnswer(() => async () => {
      throw new AppError("rate_limited", "The tokens of this day are used up", { retryAfterS: 1_234 })
    })
    const json = await post(path, { question: "Why?" })
    expect(json.headers.get("retry-after")).toBe("1234")
    const events = eventsIn(await (await post(path, { question: "Why?" }, EVENTS)).text())
    expect(events.at(-1)).toMatchObject({ event: "error", data: { code: "rate_limited", retry_after_s: 1_234 } })
  })

  test("an unforeseen failure shows nothing of itself", async () => {
    const { post } = withAnswer(() => async () => {
      throw new Error("select secret from concordance.chunks")
    })
    const text = await (await post(path, { question: "x" }, EVENTS)).text()
    expect(eventsIn(text)).toMatchObject([{ event: "error", data: { code: "internal", status: 500 } }])
    expect(text).not.toContain("secret")
  })
})

test.each([
  ["text/event-stream", true],
  ["application/json, text/event-stream;q=0.9", true],
  ["*/*", false],
  ["application/json", false],
])("a caller who accepts %s gets a stream: %s", async (accept, isStream) => {
  const { post } = createTestApp()
  const { headers } = await post("/answer", { question: "x" }, { accept })
  expect(headers.get("content-type")?.startsWith("text/event-stream")).toBe(isStream)
})

test("a silence is broken by comments, which are no events", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "setTimeout"] })
  const { post } = withAnswer((refuse) => async (...asked) => {
    await new Promise((resolve) => setTimeout(resolve, 25_000))
    return refuse(...asked)
  })
  const reading = (await post("/answer", { question: "x" }, EVENTS)).text()
  await vi.advanceTimersByTimeAsync(25_000)
  vi.useRealTimers()
  const text = await reading
  expect(text.match(/^: /gm)).toHaveLength(2)
  expect(eventsIn(text).map(({ event }) => event)).toEqual(["done"])
})

test.each([
  ["a JSON answer", {}],
  ["a stream", EVENTS],
])("a caller who leaves %s is known within 200 ms, and nothing is logged", async (_, headers) => {
  const times = { left: 0, known: 0 }
  const caller = new AbortController()
  const { app, lines } = withAnswer(() => async (_tenant, _request, { signal }, onEvent) => {
    onEvent?.({ type: "step", node: "retrieve", status: "started" })
    await new Promise((resolve) => {
      signal.addEventListener("abort", resolve, { once: true })
      setTimeout(() => {
        times.left = performance.now()
        caller.abort()
      }, 50)
    })
    times.known = performance.now()
    throw signal.reason
  })
  const listen = getRequestListener(app.fetch)
  const server = createServer((incoming, outgoing) => void listen(incoming, outgoing))
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve)
  })
  const { port } = server.address() as AddressInfo
  const asked = fetch(`http://127.0.0.1:${port}/answer`, {
    method: "POST",
    body: JSON.stringify({ question: "x" }),
    headers: { "content-type": "application/json", ...headers },
    signal: caller.signal,
  }).then((response) => response.text())
  await expect(asked).rejects.toThrow("aborted")
  await vi.waitFor(() => expect(times.known).toBeGreaterThan(0))
  expect(times.known - times.left).toBeLessThan(200)
  await new Promise((resolve) => server.close(resolve))
  expect(lines.filter((line) => line.includes("request failed"))).toEqual([])
})

test("the graph is drawn as text", async () => {
  const { send } = createTestApp()
  const drawn = await send("GET", "/answer/graph")
  expect(drawn.status).toBe(200)
  expect(await drawn.text()).toBe("graph TD;")
})
