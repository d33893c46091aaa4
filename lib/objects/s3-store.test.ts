import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { createServer, type RequestListener, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type FauxqsServer, startFauxqs } from "fauxqs"
import { afterAll, afterEach, beforeAll, expect, test } from "vitest"
import { AppError } from "../errors.ts"
import { pageImageKey } from "./object-key.ts"
import type { S3StoreOptions } from "./open-s3-client.ts"
import { createS3Store } from "./s3-store.ts"

const CREDENTIALS = { accessKeyId: "AKIASECRETID", secretAccessKey: "s3cret" }
const KEY = pageImageKey({ tenantId: "t", documentId: "d", generation: 1, page: 1, mimeType: "image/png" })

let emulator: FauxqsServer
let folder: string
let server: Server | undefined

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "s3-"))
  emulator = await startFauxqs({ port: 0, logger: false, host: "127.0.0.1" })
})
afterAll(async () => {
  await emulator.stop()
  await rm(folder, { recursive: true })
})
afterEach(() => {
  server?.closeAllConnections()
  server?.close()
})

/** A store on a server that answers as the test says. */
async function storeAt(answer: RequestListener, options: Partial<S3StoreOptions> = {}) {
  const started = createServer(answer)
  server = started
  await new Promise<void>((resolve) => started.listen(0, "127.0.0.1", resolve))
  const endpoint = `http://127.0.0.1:${(started.address() as AddressInfo).port}`
  return createS3Store({ bucket: "archive", endpoint, credentials: CREDENTIALS, attemptsMax: 2, ...options })
}

async function failure(work: Promise<unknown>): Promise<AppError> {
  const error = await work.catch((thrown: unknown) => thrown)
  if (error instanceof AppError) return error
  throw new Error("it did not fail as an AppError", { cause: error })
}

function refusal(status: number, code: string): RequestListener {
  return (_, response) => {
    response.writeHead(status, { "content-type": "application/xml" })
    response.end(
      `<Error><Code>${code}</Code><Message>no</Message><AWSAccessKeyId>AKIASECRETID</AWSAccessKeyId></Error>`,
    )
  }
}

test("a bucket that isn't there is an error for get, put and list, not an absent object", async () => {
  const endpoint = `http://127.0.0.1:${emulator.port}`
  const store = createS3Store({ bucket: "nowhere", endpoint, credentials: CREDENTIALS })
  const expected = "has no such bucket: create it, or correct OBJECT_STORE_BUCKET"
  expect((await failure(store.get(KEY))).message).toContain(expected)
  expect((await failure(store.put(KEY, new Uint8Array(1), "image/png"))).message).toContain(expected)
  expect((await failure(store.delete([KEY]))).message).toContain(expected)
})

test.each([
  [403, "AccessDenied", "grant s3:GetObject"],
  [403, "InvalidAccessKeyId", "no valid credentials"],
  [403, "SignatureDoesNotMatch", "no valid credentials"],
  [403, "RequestTimeTooSkewed", "set its clock"],
  [301, "PermanentRedirect", "set OBJECT_STORE_REGION"],
  [503, "SlowDown", "overloaded or down"],
  [400, "InvalidRequest", "OBJECT_STORE_PATH_STYLE"],
])("status %i %s becomes storage_unavailable with the next step, and repeats no key", async (status, code, step) => {
  const error = await failure((await storeAt(refusal(status, code))).get(KEY))
  expect(error.code).toBe("storage_unavailable")
  expect(error.message).toContain(step)
  expect(`${error.message} ${error.cause}`).not.toMatch(/AKIA|s3cret/)
  expect(String(error.cause)).toContain(`${code}, status ${status}`)
})

test("objects are deleted 1,000 a request, and those that S3 keeps are counted, though it answers 200", async () => {
  const asked: number[] = []
  const kept = (code: string) => `<Error><Key>${KEY}</Key><Code>${code}</Code><Message>AKIASECRETID</Message></Error>`
  const store = await storeAt((request, response) => {
    let body = ""
    request.on("data", (chunk: Buffer) => {
      body += chunk.toString()
    })
    request.on("end", () => {
      const errors = asked.length === 0 ? kept("AccessDenied") + kept("SlowDown") : ""
      asked.push(body.match(/<Key>/g)?.length ?? 0)
      response.writeHead(200, { "content-type": "application/xml" }).end(`<DeleteResult>${errors}</DeleteResult>`)
    })
  })
  const error = await failure(store.delete(Array.from({ length: 2_001 }, () => KEY)))
  expect(asked).toEqual([1_000, 1_000, 1])
  expect(error).toMatchObject({ code: "storage_unavailable", message: expect.stringContaining("grant s3:GetObject") })
  expect(String(error.cause)).toContain("2 of 2001 objects were not deleted: 1 AccessDenied, 1 SlowDown")
  expect(`${error.message} ${error.cause}`).not.toMatch(/AKIA|pages/)
})

test("a passing failure is repeated, and the attempts are bounded", async () => {
  let requests = 0
  const store = await storeAt((request, response) => {
    requests++
    if (requests === 1) refusal(503, "SlowDown")(request, response)
    else response.writeHead(200, { "content-type": "image/png" }).end("late")
  })
  expect(Buffer.from((await store.get(KEY))?.body ?? []).toString()).toBe("late")
  expect(requests).toBe(2)

  requests = 0
  const down = await storeAt((request, response) => {
    requests++
    refusal(500, "InternalError")(request, response)
  })
  await failure(down.get(KEY))
  expect(requests).toBe(2)
})

test("a body that breaks off is fetched again, and given up after three times", async () => {
  let requests = 0
  const breaking =
    (times: number): RequestListener =>
    (_, response) => {
      response.writeHead(200, { "content-type": "image/png", "content-length": "8" })
      if (++requests <= times) response.write("half", () => response.destroy())
      else response.end("complete")
    }
  expect(Buffer.from((await (await storeAt(breaking(1))).get(KEY))?.body ?? []).toString()).toBe("complete")
  expect(requests).toBe(2)
  const target = join(folder, "target")
  requests = 0
  expect(await (await storeAt(breaking(2))).getFile(KEY, target, 100)).toBe(true)
  expect(await readFile(target, "utf8")).toBe("complete")
  requests = 0
  expect((await failure((await storeAt(breaking(9))).get(KEY))).message).toContain("can't be reached")
  expect(requests).toBe(3)
})

test("a version that is asked for is the one that is read, and a head tells which there is", async () => {
  const asked: (string | null)[] = []
  const store = await storeAt((request, response) => {
    asked.push(new URL(request.url ?? "", "http://bucket").searchParams.get("versionId"))
    response
      .writeHead(200, { "content-length": "3", "x-amz-version-id": "v7" })
      .end(request.method === "HEAD" ? "" : "old")
  })
  const target = join(folder, "version")
  expect(await store.getFile(KEY, target, 100, "v3")).toBe(true)
  expect(await store.head(KEY, "v3")).toMatchObject({ version: "v7" })
  await store.getFile(KEY, join(folder, "newest"), 100)
  expect(asked).toEqual(["v3", "v3", null])
})

test("an upload from a file is repeated whole after a passing failure", async () => {
  const source = join(folder, "source")
  await writeFile(source, Buffer.alloc(100_000, "x"))
  const received: number[] = []
  const store = await storeAt((request, response) => {
    let bytes = 0
    request.on("data", (chunk: Buffer) => {
      bytes += chunk.length
    })
    request.on("end", () => {
      received.push(bytes)
      response.writeHead(received.length === 1 ? 503 : 200).end()
    })
  })
  await store.putFile(KEY, source, "application/pdf")
  expect(received).toEqual([100_000, 100_000])
})

test("a server that stops answering is left after the idle time, before and within a body", async () => {
  const silent = await storeAt(() => {}, { idleTimeoutMs: 100, attemptsMax: 1 })
  expect((await failure(silent.head(KEY))).message).toContain("can't be reached")
  const stalling = await storeAt(
    (_, response) => {
      response.writeHead(200, { "content-length": "8" })
      response.write("half")
    },
    { idleTimeoutMs: 100, attemptsMax: 1 },
  )
  expect((await failure(stalling.get(KEY))).message).toContain("can't be reached")
})

test("a body without a length is bounded all the same", async () => {
  const store = await storeAt((_, response) => {
    response.writeHead(200, { "transfer-encoding": "chunked" })
    const more = () => void response.write(Buffer.alloc(64 * 1024), () => !response.destroyed && more())
    more()
  })
  expect((await failure(store.get(KEY, 1_000_000))).message).toContain("larger than the 1000000 bytes")
})

test("a server that can't be reached is named as that", async () => {
  const store = createS3Store({
    bucket: "archive",
    endpoint: "http://127.0.0.1:1",
    credentials: CREDENTIALS,
    attemptsMax: 1,
  })
  expect((await failure(store.get(KEY))).message).toContain("can't be reached: check OBJECT_STORE_ENDPOINT")
})
