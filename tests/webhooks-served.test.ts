import { afterAll, beforeAll, expect, test } from "vitest"
import { createWebhookEndpoints } from "../lib/webhooks/webhook-endpoints.ts"
import { type Served, serve } from "./served.ts"
import { isSigned, type Receiver, startReceiver } from "./webhook-receiver.ts"

let served: Served
let receiver: Receiver
beforeAll(async () => {
  served = await serve({ isMigrated: true, environment: { WEBHOOK_HOSTS: "127.0.0.1" } })
  receiver = await startReceiver()
})
afterAll(async () => {
  await served.close()
  await receiver.close()
})

async function upload(id: string, requestId: string): Promise<void> {
  const form = new FormData()
  form.set("id", id)
  form.set("file", new File([`The keeper of ${id} lit the lamp.`], `${id}.txt`, { type: "text/plain" }))
  const answer = await served.send("POST", "/documents", form, { "x-request-id": requestId })
  expect(answer.status, await answer.text()).toBeLessThan(300)
}

test("the server tells of an upload and of its deletion by itself, with the id of the request", async () => {
  const endpoints = createWebhookEndpoints(served.runtime.owner, served.config.webhookHosts)
  const events = ["document.ready", "document.deleted"] as const
  const { secret } = await endpoints.add({ tenant: "primary", url: receiver.url, events })

  await upload("tower", "upload-17")
  await served.runtime.ingest.idle()
  await upload("rock", "upload-18")
  await served.runtime.ingest.idle()
  expect((await served.send("DELETE", "/documents/tower", undefined, { "x-request-id": "delete-19" })).status).toBe(200)
  await expect.poll(() => receiver.received.length, { timeout: 40_000 }).toBe(3)
  expect(receiver.received.map(({ body }) => JSON.parse(body))).toMatchObject([
    { type: "document.ready", data: { document_id: "tower", chunks: 1, request_id: "upload-17" } },
    { type: "document.ready", data: { document_id: "rock", chunks: 1, request_id: "upload-18" } },
    { type: "document.deleted", data: { document_id: "tower", request_id: "delete-19" } },
  ])
  expect(receiver.received.every((each) => isSigned(each, secret))).toBe(true)
  expect(receiver.received.map(({ body }) => body).join()).not.toMatch(/keeper|\.txt/)
})
