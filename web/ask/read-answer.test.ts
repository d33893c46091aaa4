import { expect, test } from "vitest"
import { type HeardEvent, readAnswer } from "./read-answer.ts"

const DONE = { answer: "À noite — 38 litros 🕯.", sentences: [], citations: [] }
const EVENTS = [
  ": still here\n\n",
  'event: step\ndata: {"node":"retrieve","status":"started"}\n\n',
  'event: token\ndata: {"text":"À noite — 🕯"}\n\n',
  'event: colour\ndata: {"red":1}\n\n',
  `event: done\ndata: ${JSON.stringify(DONE)}\n\n`,
].join("")

/** A response whose body comes in pieces of so many bytes. */
function streaming(text: string, bytes: number, isEnded = true): Response {
  const all = new TextEncoder().encode(text)
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (let at = 0; at < all.length; at += bytes) controller.enqueue(all.slice(at, at + bytes))
      if (isEnded) controller.close()
    },
  })
  return new Response(body, { headers: { "content-type": "text/event-stream; charset=utf-8" } })
}

async function heard(response: Response, silenceMs?: number): Promise<HeardEvent[]> {
  const events: HeardEvent[] = []
  await readAnswer(response, (event) => events.push(event), silenceMs)
  return events
}

test.each([1, 7, 100_000])(
  "events are heard in order, whole characters and all, in pieces of %i bytes",
  async (bytes) => {
    expect(await heard(streaming(EVENTS, bytes))).toEqual([
      { type: "step", node: "retrieve", status: "started" },
      { type: "token", text: "À noite — 🕯" },
      { type: "done", answer: DONE },
    ])
  },
)

test("an answer is over with its done, though the connection stays open", async () => {
  expect(await heard(streaming(EVENTS, 50, false))).toHaveLength(3)
})

test("an answer that came as JSON after all is heard as a whole", async () => {
  expect(await heard(Response.json(DONE))).toEqual([{ type: "done", answer: DONE }])
})

test("an error amid the stream is thrown with its code, its request and when to ask again", async () => {
  const problem = { code: "rate_limited", title: "Too many requests", request_id: "r1", retry_after_s: 90 }
  const stream = streaming(`event: error\ndata: ${JSON.stringify(problem)}\n\n`, 9)
  await expect(heard(stream)).rejects.toMatchObject({ code: "rate_limited", requestId: "r1", retryAfterS: 90 })
})

test.each([
  ["ends without its done", 'event: token\ndata: {"text":"a"}\n\n'],
  ["has a done that is cut", 'event: done\ndata: {"answer":\n\n'],
])("a stream that %s broke off", async (_, text) => {
  await expect(heard(streaming(text, 10))).rejects.toMatchObject({ title: "The answer broke off" })
})

test("a stream of which nothing is heard any more fails", async () => {
  await expect(heard(streaming('event: token\ndata: {"text":"a"}\n\n', 10, false), 50)).rejects.toMatchObject({
    title: "The server fell silent",
  })
})
