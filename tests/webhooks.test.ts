import { randomUUID } from "node:crypto"
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest"
import { createIngestEvents } from "../functions/lambda/ingest-events.ts"
import type { Ingest } from "../lib/documents/ingest/create-ingest.ts"
import { AppError } from "../lib/errors.ts"
import { createLog } from "../lib/log.ts"
import { tellingIngest } from "../lib/runtime/open-webhooks.ts"
import { createDeliverDue } from "../lib/webhooks/deliver-due.ts"
import { createDeliveries } from "../lib/webhooks/deliveries.ts"
import { createSendWebhook, type SendWebhook } from "../lib/webhooks/send-webhook.ts"
import { createWebhookEndpoints, type WebhookEvent } from "../lib/webhooks/webhook-endpoints.ts"
import { createWebhookQueue, tenantsWithWebhooks } from "../lib/webhooks/webhook-queue.ts"
import { createWebhookWakeups } from "../lib/webhooks/webhook-wakeups.ts"
import { type Ingesting, openIngesting } from "./ingesting.ts"
import { isSigned, type Receiver, startReceiver, taken } from "./webhook-receiver.ts"

// From the transaction that publishes to somebody else's server, with real parts: database, ingestion, sockets.

const HOSTS = ["127.0.0.1"]
const EVERYTHING: readonly WebhookEvent[] = ["document.ready", "document.failed", "document.deleted"]
const never = new AbortController().signal

let shelf: Ingesting
let receiver: Receiver
beforeAll(async () => {
  shelf = await openIngesting()
})
afterAll(() => shelf.close())
beforeEach(async () => {
  receiver = await startReceiver()
})
afterEach(async () => {
  await receiver.close()
  for (const table of ["webhook_endpoints", "documents"]) await shelf.rows(`delete from ${table}`)
})

const endpoints = () => createWebhookEndpoints(shelf.owner, HOSTS)
const listen = (tenant: string, url = receiver.url, events = EVERYTHING) => endpoints().add({ tenant, url, events })
const log = () => createLog({ level: "debug", write: (line) => shelf.lines.push(line) })

/** What sends, as a process of its own. */
function sender(send: SendWebhook = createSendWebhook({ hosts: HOSTS, timeoutMs: 500 })) {
  return createDeliverDue({ deliveries: createDeliveries(shelf.database, () => 0), send, log: log() })
}

async function upload(tenant: string, id: string, text = "A lighthouse on a rock.") {
  await shelf.add(tenant, id, text)
  return shelf.worker().run(tenant, id)
}

const states = () =>
  shelf.rows(
    `select document_id as id, state, attempts, last_status as status,
            round(extract(epoch from next_attempt_at - now()))::int as wait_s
       from webhook_deliveries order by position`,
  )
/** As time passes. */
async function passTime(): Promise<void> {
  await shelf.rows("update webhook_deliveries set next_attempt_at = now() where state = 'pending'")
  await shelf.rows("update webhook_endpoints set silent_until = null")
}

/** The Lambda of the queue, with what it sends to the queue itself. */
function onAws(deliverDue = sender()) {
  const messages: { readonly body: string; readonly delayS: number }[] = []
  const send = async (sent: readonly object[], delayS = 0) => {
    for (const message of sent) messages.push({ body: JSON.stringify(message), delayS })
  }
  const webhooks = createWebhookWakeups({
    database: shelf.database,
    deliverDue,
    send: (message, delayS) => send([message], delayS),
  })
  const handlerOf = (parts: { plan?: typeof webhooks.plan } & Partial<Pick<Ingest, "run">> = {}) => {
    const { plan = webhooks.plan, ...steps } = parts
    const ingest = { ...shelf.worker(), ...steps }
    const handle = createIngestEvents({ ingest, send, webhooks: { ...webhooks, plan }, log: log() })
    return async (body: string) => {
      const record = { messageId: randomUUID(), body, attributes: { ApproximateReceiveCount: "1" } }
      const { batchItemFailures } = await handle({ Records: [record] }, { getRemainingTimeInMillis: () => 300_000 })
      return batchItemFailures.length === 0 ? "done" : "again"
    }
  }
  return { messages, handlerOf }
}
const RUN = (documentId: string) => JSON.stringify({ kind: "run", tenant: "t1", documentId })
const WAKEUP = '{"kind":"webhooks","tenant":"t1"}'

test("ready, failed and deleted are told in order, signed, with ids and counts and nothing of the content", async () => {
  const { secret } = await listen("t1")
  await upload("t1", "chart", "A lighthouse on a rock.\fA second page.")
  await shelf.add("t1", "chart", "Another version.")
  await shelf.worker({ fileReader: refusing() }).run("t1", "chart")
  await shelf.worker().delete("t1", "chart")
  expect(await sender()("t1", never)).toBeNull()
  const told = receiver.received.map(({ body }) => JSON.parse(body))
  expect(told).toMatchObject([
    { type: "document.ready", data: { source_account_id: "t1", document_id: "chart", status: "ready", page_count: 2 } },
    {
      type: "document.failed",
      data: {
        document_id: "chart",
        status: "failed",
        error: { code: "document_unreadable", message: "It has no pages that can be read" },
      },
    },
    { type: "document.deleted", data: { document_id: "chart", status: "deleted" } },
  ])
  expect(told[0].data.chunks).toBeGreaterThan(0)
  expect(told.every(({ timestamp }) => Math.abs(Date.parse(timestamp) - Date.now()) < 60_000)).toBe(true)
  expect(receiver.received.every((each) => isSigned(each, secret))).toBe(true)
  expect(new Set(receiver.received.map(({ headers }) => headers["webhook-id"])).size).toBe(told.length)
  const all = receiver.received.map(({ body }) => body).join()
  expect(all).not.toMatch(/lighthouse|version|\.txt/)
  expect(shelf.lines.join()).not.toContain(secret)
})

test("another tenant's events never arrive, nor does the service see another tenant's endpoints", async () => {
  await listen("t1")
  const other = await startReceiver()
  const { secret } = await listen("t2", other.url)
  await upload("t2", "theirs")
  const send = sender()
  for (const tenant of ["t1", "t2"]) await send(tenant, never)
  expect(receiver.events()).toEqual([])
  expect(other.events()).toEqual(["document.ready theirs"])
  await other.close()
  const see = (text: string) => shelf.database.batch({ tenant: "t1" }, [{ text }])
  expect(JSON.stringify(await see("select * from webhook_endpoints"))).not.toContain(secret)
  expect(await see("select * from webhook_deliveries")).toEqual([[]])
  // Not even for its own tenant does it choose where something is sent.
  await expect(see("update webhook_endpoints set url = 'https://evil.example'")).rejects.toThrow()
  await expect(
    see("insert into webhook_endpoints (source_account_id, id, url, events, secret) values ('t1', 'x', '', '{}', '')"),
  ).rejects.toThrow()
})

test("an endpoint hears of the events that it asked for", async () => {
  await listen("t1", receiver.url, ["document.failed"])
  await upload("t1", "fine")
  await shelf.add("t1", "bad", "x")
  await shelf.worker({ fileReader: refusing() }).run("t1", "bad")
  await sender()("t1", never)
  expect(receiver.events()).toEqual(["document.failed bad"])
})

test("nothing is told of a publication that was rolled back, and everything of one whose process died before it was sent", async () => {
  await listen("t1")
  await shelf.add("t1", "chart", "One.")
  // The process that publishes ends here: nothing of it sends.
  await shelf.rows(
    `create function concordance.refuse() returns trigger language plpgsql as 'begin raise exception ''late''; end'`,
  )
  await shelf.rows(
    "create constraint trigger late after update on concordance.ingest_jobs deferrable initially deferred for each row when (new.state = 'done') execute function concordance.refuse()",
  )
  await shelf.worker().run("t1", "chart")
  expect(await states()).toEqual([])
  await shelf.rows("drop trigger late on concordance.ingest_jobs")
  await shelf.worker().run("t1", "chart")
  // What starts next.
  expect(await tenantsWithWebhooks(shelf.owner)).toEqual(["t1"])
  await sender()("t1", never)
  expect(receiver.events()).toEqual(["document.ready chart"])
  expect(await tenantsWithWebhooks(shelf.owner)).toEqual([])
})

test("what a process had claimed when it was killed is sent after its lease, under the same id", async () => {
  await listen("t1")
  await upload("t1", "chart")
  const [claimed] = await createDeliveries(shelf.database).claim("t1", "dead")
  const nextMs = await sender()("t1", never)
  expect(nextMs).toBeGreaterThan(50_000)
  expect(receiver.received).toEqual([])
  await passTime()
  await sender()("t1", never)
  expect(receiver.received.map(({ headers }) => headers["webhook-id"])).toEqual([claimed?.id])
})

test("500, a silent receiver and a reset are tried again for over a day, then given up, and a replay sends once more", async () => {
  await listen("t1")
  await upload("t1", "chart")
  const broken = [
    () => receiver.behave((_request, response) => response.writeHead(500).end()),
    () => receiver.behave(() => {}),
    () => receiver.behave((_request, _response, incoming) => incoming.socket.resetAndDestroy()),
  ]
  const waits: unknown[] = []
  for (let attempt = 0; attempt < 8; attempt++) {
    broken[attempt % broken.length]?.()
    await passTime()
    await sender()("t1", never)
    waits.push((await states())[0]?.["wait_s"])
  }
  expect(waits.slice(0, 7).map((wait) => Math.round(Number(wait) / 5) * 5)).toEqual([
    5, 300, 1_800, 7_200, 18_000, 36_000, 36_000,
  ])
  expect(await states()).toMatchObject([{ state: "failed", attempts: 8 }])
  receiver.behave(taken)
  await passTime()
  expect(await sender()("t1", never)).toBeNull()
  expect(receiver.received).toHaveLength(8)
  const [delivery] = await endpoints().deliveries({ limit: 10 })
  expect(await endpoints().replay(delivery?.id ?? "")).toMatchObject({ state: "pending", attempts: 0 })
  await sender()("t1", never)
  expect(await states()).toMatchObject([{ state: "delivered", attempts: 1, status: 204 }])
  expect(new Set(receiver.received.map(({ headers }) => headers["webhook-id"]))).toEqual(new Set([delivery?.id]))
})

test("an endpoint that answers 410 is disabled: what waits for it has failed, and it hears of nothing more", async () => {
  const { endpoint } = await listen("t1")
  for (const id of ["one", "two", "three"]) await upload("t1", id)
  receiver.behave((_request, response) => response.writeHead(410).end())
  expect(await sender()("t1", never)).toBeNull()
  expect(receiver.received).toHaveLength(1)
  expect((await states()).map(({ state }) => state)).toEqual(["failed", "failed", "failed"])
  await upload("t1", "four")
  expect(await states()).toHaveLength(3)
  expect(await endpoints().list("t1")).toMatchObject([{ id: endpoint.id, disabledAt: expect.any(String) }])
  await expect(endpoints().test(endpoint.id)).rejects.toMatchObject({ code: "conflict" })
})

test("two workers send each event once, and in order", async () => {
  await listen("t1")
  const ids = Array.from({ length: 12 }, (_, i) => `doc-${i}`)
  for (const id of ids) await upload("t1", id)
  receiver.behave((_request, response) => void setTimeout(() => response.writeHead(204).end(), 5))
  const untilDone = async () => {
    const send = sender()
    for (let next = await send("t1", never); next !== null; next = await send("t1", never))
      await new Promise((resolve) => setTimeout(resolve, 20))
  }
  await Promise.all([untilDone(), untilDone()])
  expect(receiver.events()).toEqual(ids.map((id) => `document.ready ${id}`))
})

test("a silent endpoint costs one attempt and not one for each that waits, and others are told meanwhile", async () => {
  const silent = await startReceiver()
  silent.behave(() => {})
  await listen("t1", silent.url)
  await listen("t1")
  for (let i = 0; i < 6; i++) await upload("t1", `doc-${i}`)
  const nextMs = Number(await sender()("t1", never))
  expect(Math.round(nextMs / 10_000)).toBe(6)
  expect(silent.received).toHaveLength(1)
  expect(receiver.events()).toHaveLength(6)
  const waiting = (await states()).filter(({ state }) => state === "pending")
  expect(waiting.map(({ attempts }) => attempts)).toEqual([1, 0, 0, 0, 0, 0])
  await silent.close()
})

test("a silent endpoint is left alone for its minute by what comes within it, too, unless the operator asks for an attempt", async () => {
  const { endpoint } = await listen("t1")
  receiver.behave(() => {})
  await upload("t1", "first")
  await sender()("t1", never)
  for (const id of ["second", "third"]) {
    await upload("t1", id)
    expect(Math.round(Number(await sender()("t1", never)) / 10_000)).toBe(6)
  }
  expect(receiver.received).toHaveLength(1)
  expect((await states()).map(({ attempts }) => attempts)).toEqual([1, 0, 0])
  for (const { nextAttemptAt } of await endpoints().deliveries({ limit: 10 })) {
    expect(Date.parse(nextAttemptAt ?? "") - Date.now()).toBeGreaterThan(50_000)
  }
  const { messages, handlerOf } = onAws()
  await handlerOf()(WAKEUP)
  expect(messages.map(({ delayS }) => Math.round(delayS / 10))).toEqual([6])
  receiver.behave(taken)
  await endpoints().test(endpoint.id)
  await sender()("t1", never)
  expect(receiver.events().sort()).toEqual([
    ...["document.ready first", "document.ready second", "document.ready third", "webhook.test"],
  ])
})

test("a receiver that never answers holds up no ingestion", async () => {
  await listen("t1")
  let asked = 0
  const queue = createWebhookQueue({
    deliverDue: (_tenant, signal) => {
      asked++
      return new Promise((resolve) => signal.addEventListener("abort", () => resolve(null)))
    },
    log: log(),
  })
  const ingest = tellingIngest(shelf.worker(), queue.wake)
  for (const id of ["one", "two"]) {
    await shelf.add("t1", id, id)
    expect(await ingest.run("t1", id)).toBe("ready")
  }
  expect(asked).toBe(1)
  // It ends what is under way after its three seconds.
  await queue.close()
})

test("what is sent while the process closes is given back, and costs no attempt", async () => {
  await listen("t1")
  await upload("t1", "chart")
  const stop = new AbortController()
  receiver.behave(() => stop.abort())
  expect(await sender()("t1", stop.signal)).toBe(0)
  receiver.behave(taken)
  await sender()("t1", never)
  expect(await states()).toMatchObject([{ state: "delivered", attempts: 1 }])
})

test("a server's queue sends when it is woken, comes back for what failed, and asks nothing while nothing waits", async () => {
  await listen("t1")
  await upload("t1", "chart")
  let looks = 0
  const deliverDue = sender()
  const queue = createWebhookQueue({
    deliverDue: async (...args) => {
      looks++
      await deliverDue(...args)
      const waiting = (await states()).some(({ state }) => state === "pending")
      // In place of its five seconds.
      if (waiting) await passTime()
      return waiting ? 50 : null
    },
    log: log(),
  })
  receiver.behave((_request, response) => {
    response.writeHead(receiver.received.length < 3 ? 500 : 204).end()
  })
  queue.wake("t1")
  await expect.poll(() => receiver.received.length, { timeout: 5_000 }).toBe(3)
  await expect.poll(() => looks).toBe(3)
  await new Promise((resolve) => setTimeout(resolve, 200))
  expect(looks).toBe(3)
  await queue.close()
})

test("finished deliveries are forgotten after 30 days, and what nobody took after four is given up", async () => {
  await listen("t1")
  for (const id of ["old", "late", "new"]) await upload("t1", id)
  await shelf.rows(
    "update webhook_deliveries set state = 'delivered', finished_at = now() - interval '31 days' where document_id = 'old'",
  )
  await shelf.rows("update webhook_deliveries set queued_at = now() - interval '5 days' where document_id = 'late'")
  await sender()("t1", never)
  expect(await states()).toMatchObject([
    { id: "late", state: "failed" },
    { id: "new", state: "delivered" },
  ])
})

test("on AWS one delayed message a tenant goes round while something waits, whatever comes twice", async () => {
  await listen("t1")
  receiver.behave((_request, response) => response.writeHead(500).end())
  const { messages, handlerOf } = onAws()
  const handle = handlerOf()
  const deliver = async (body: string) => expect(await handle(body)).toBe("done")
  for (const id of ["one", "two"]) {
    await shelf.add("t1", id, `${id} `.repeat(4))
    await deliver(RUN(id))
  }
  expect(messages).toEqual([{ body: WAKEUP, delayS: 0 }])
  const [first] = messages.splice(0)
  for (let twice = 0; twice < 2; twice++) await deliver(first?.body ?? "")
  expect(receiver.received).toHaveLength(2)
  expect(messages).toMatchObject([{ delayS: 5 }])
  // It is late by so much that it counts as lost: the next event's sends another.
  await shelf.rows("update webhook_endpoints set wake_at = now() - interval '16 minutes'")
  await deliver(RUN("one"))
  expect(messages).toHaveLength(2)
  // Hours until the next attempt are more than a message can wait.
  await shelf.rows("update webhook_deliveries set next_attempt_at = now() + interval '2 hours'")
  await shelf.rows("update webhook_endpoints set wake_at = now()")
  await deliver(first?.body ?? "")
  expect(messages.at(-1)?.delayS).toBe(900)
  receiver.behave(taken)
  await passTime()
  await shelf.rows("update webhook_endpoints set wake_at = now()")
  const before = messages.length
  await deliver(first?.body ?? "")
  expect((await states()).map(({ state }) => state)).toEqual(["delivered", "delivered"])
  expect(messages).toHaveLength(before)
})

test("on AWS a slow endpoint takes one Lambda: what ends meanwhile plans one look after its lease", async () => {
  await listen("t1")
  const { messages, handlerOf } = onAws(sender(createSendWebhook({ hosts: HOSTS })))
  const handle = handlerOf()
  const answers: (() => void)[] = []
  receiver.behave((_request, response) => answers.push(() => response.writeHead(204).end()))
  await upload("t1", "slow")
  const sending = handle(WAKEUP)
  await expect.poll(() => answers.length).toBe(1)
  for (const id of ["one", "two", "three"]) {
    await shelf.add("t1", id, id)
    expect(await handle(RUN(id))).toBe("done")
  }
  expect(messages.map(({ delayS }) => Math.round(delayS / 10))).toEqual([6])
  // Another that comes all the same.
  await handle(WAKEUP)
  expect(answers).toHaveLength(1)
  receiver.behave(taken)
  answers[0]?.()
  expect(await sending).toBe("done")
  expect(receiver.events()).toEqual(["slow", "one", "two", "three"].map((id) => `document.ready ${id}`))
})

test("on AWS a message that is done is done though the look at webhooks can't be planned, and each plans once", async () => {
  await listen("t1")
  let plans = 0
  const { handlerOf } = onAws()
  const plan = async () => {
    plans++
    throw new Error("the queue is away")
  }
  await shelf.add("t1", "chart", "A chart.")
  expect(await handlerOf({ plan })(RUN("chart"))).toBe("done")
  expect(plans).toBe(1)
  expect(shelf.lines.join()).toContain("could not be planned")
  const run = () => Promise.reject(new Error("the disk is full"))
  expect(await handlerOf({ plan, run })(RUN("chart"))).toBe("again")
  expect(plans).toBe(2)
  expect(shelf.lines.join()).toContain("the disk is full")
})

/** Reads nothing of any file. */
function refusing(): NonNullable<NonNullable<Parameters<Ingesting["worker"]>[0]>["fileReader"]> {
  const refuse = () => Promise.reject(new AppError("document_unreadable", "It has no pages that can be read"))
  return { inspect: refuse, readPage: refuse, layOut: refuse, unpackBundle: refuse, close: async () => {} } as never
}
