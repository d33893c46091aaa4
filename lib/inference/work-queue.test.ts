import { expect, test } from "vitest"
import { createWorkQueue } from "./work-queue.ts"

/** Work that is under way until it is told to end. */
function openWork() {
  let end = () => {}
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  return { end, work: () => ended }
}

test("one piece of work runs at a time, and questions go before passages that came earlier", async () => {
  const queue = createWorkQueue()
  const first = openWork()
  const order: string[] = []
  const note = (name: string) => async () => void order.push(name)
  const all = [
    queue.run("passage", first.work),
    queue.run("passage", note("passage 1")),
    queue.run("passage", note("passage 2")),
    queue.run("query", note("query 1")),
    queue.run("query", note("query 2")),
  ]
  await new Promise(setImmediate)
  expect(order).toEqual([])
  first.end()
  await Promise.all(all)
  expect(order).toEqual(["query 1", "query 2", "passage 1", "passage 2"])
})

test("constant questions do not stop the passages: one gets its turn after eight", async () => {
  const queue = createWorkQueue()
  const first = openWork()
  const order: string[] = []
  const all = [queue.run("query", first.work), queue.run("passage", async () => void order.push("p"))]
  for (let i = 0; i < 12; i++) all.push(queue.run("query", async () => void order.push("q")))
  first.end()
  await Promise.all(all)
  expect(order.indexOf("p")).toBe(7)
})

test("an abort while waiting rejects at once with the signal's reason, and the work never runs", async () => {
  const queue = createWorkQueue()
  const first = openWork()
  const running = queue.run("passage", first.work)
  const abort = new AbortController()
  const order: string[] = []
  const waiting = queue.run("query", async () => void order.push("ran"), { signal: abort.signal })
  await new Promise(setImmediate)
  abort.abort(new Error("gone"))
  await expect(waiting).rejects.toThrow("gone")
  first.end()
  await running
  await queue.run("passage", async () => {})
  expect(order).toEqual([])
})

test("work that fails rejects its own caller alone, and the next has its turn", async () => {
  const queue = createWorkQueue()
  const failing = queue.run("query", () => Promise.reject(new Error("broken")))
  const next = queue.run("query", async () => "fine")
  await expect(failing).rejects.toThrow("broken")
  expect(await next).toBe("fine")
})

test("a full queue refuses at once, of texts to store after an eighth; what is patient, or has begun, still gets its turn", async () => {
  const queue = createWorkQueue(16)
  const first = openWork()
  const all = [queue.run("query", first.work)]
  const idle = async () => {}
  for (let i = 0; i < 16; i++) all.push(queue.run("query", idle))
  for (let i = 0; i < 2; i++) all.push(queue.run("passage", idle))
  for (const kind of ["query", "passage"] as const) {
    await expect(queue.run(kind, idle)).rejects.toMatchObject({ code: "overloaded", retryAfterS: 2 })
    all.push(queue.run(kind, idle, { isPatient: true }))
  }
  first.end()
  await Promise.all(all)
  await queue.run("query", idle)
})
