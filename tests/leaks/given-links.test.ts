import { AwsV4Signer } from "aws4fetch"
import { type FauxqsServer, startFauxqs } from "fauxqs"
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest"
import { type Served, serve } from "../served.ts"
import { type Answered, send, settled } from "./answers.ts"
import { mcpRequest } from "./mcp-probes.ts"
import { formOf, pdfOf } from "./open-world.ts"

// Links that the service gives to one tenant, in another's hands: those of pages, pictures and tables, which need a key, and
// the signed one to upload a file, which needs none.

const CREDENTIALS = { accessKeyId: "AKIALEAKS", secretAccessKey: "s3cret" }
const ID = "the-paper"
/** Fields in which an answer gives a link. */
const LINKS = /"((?:page|image|crop|table)_url)":"([^"]+)"/g

let emulator: FauxqsServer
let served: Served
let owner: string
let intruder: string

beforeAll(async () => {
  emulator = await startFauxqs({ port: 0, logger: false, host: "127.0.0.1" })
  emulator.createBucket("archive")
  vi.stubEnv("AWS_ACCESS_KEY_ID", CREDENTIALS.accessKeyId)
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", CREDENTIALS.secretAccessKey)
  const endpoint = `http://127.0.0.1:${emulator.port}`
  served = await serve({
    policy: "keys",
    isMigrated: true,
    environment: { OBJECT_STORE_BUCKET: "archive", OBJECT_STORE_ENDPOINT: endpoint, OBJECT_STORE_REGION: "us-east-1" },
  })
  const mint = async (tenant: string) => (await served.runtime.keys.create({ name: tenant, tenants: [tenant] })).key
  owner = await mint("owner")
  intruder = await mint("intruder")
  const uploaded = await served.send("POST", "/documents", formOf(ID, "paper.pdf", await pdfOf("secret", 2)), {
    "x-api-key": owner,
  })
  expect(uploaded.status).toBe(202)
  await served.runtime.ingest.idle()
}, 300_000)
afterAll(async () => {
  vi.unstubAllEnvs()
  await served.close()
  await emulator.stop()
})

const get = (path: string, key?: string): Promise<Answered> => send(served, { method: "GET", path }, key)

/** By kind, each link that the owner's answers give. */
async function linksGiven(): Promise<ReadonlyMap<string, string>> {
  const call = { name: "retrieve", arguments: { query: "harbour and its light" } }
  const answers = await Promise.all([
    get(`/documents/${ID}/pages`, owner),
    get(`/documents/${ID}/pages/1`, owner),
    get(`/documents/${ID}/chunks`, owner),
    send(served, { method: "POST", path: "/search", body: () => '{"query":"harbour and its light"}' }, owner),
    send(served, mcpRequest("tools/call", call), owner),
  ])
  const all = answers.map(({ body }) => body).join("\n")
  expect(all).not.toMatch(/X-Amz-|AKIALEAKS|archive\//)
  return new Map([...all.matchAll(LINKS)].map(([, kind = "", path = ""]) => [kind, path]))
}

describe("a link to a page, its picture, a crop or a table", () => {
  test("opens nothing without a key, nor with another tenant's, who hears what is said of one that nobody has", async () => {
    const links = await linksGiven()
    expect([...links.keys()].sort()).toEqual(["crop_url", "image_url", "page_url", "table_url"])
    for (const [kind, path] of links) {
      expect([kind, (await get(path, owner)).status]).toEqual([kind, 200])
      expect([kind, (await get(path)).status]).toEqual([kind, 401])
      // As it was given, it names its tenant; without that it means the asker's.
      const forms: [string, string, number][] = [
        [path, path.replace("=owner", "=never"), 403],
        [
          path.replace("source_account_id=owner", "x=1"),
          path.replace("source_account_id=owner", "x=1").replace(ID, "no-paper0"),
          404,
        ],
      ]
      for (const [foreign, nobodys, status] of forms) {
        const heard = await get(foreign, intruder)
        expect([foreign, heard.status]).toEqual([foreign, status])
        expect(settled(heard, ["owner", ID])).toBe(settled(await get(nobodys, intruder), ["never", "no-paper0"]))
      }
    }
  })
})

describe("a signed link to upload a file", () => {
  interface Given {
    readonly id: string
    readonly upload: { readonly url: string; readonly headers: Record<string, string>; readonly expires: string }
  }
  const ask = async (key: string): Promise<Given> => {
    const body = { id: ID, file_name: "paper.pdf", content_type: "application/pdf" }
    return (await served.post("/documents", body, { "x-api-key": key })).json() as Promise<Given>
  }

  test("is for one key in the asker's own folder, for 15 minutes, and tells nothing of another's document of that id", async () => {
    const [foreign, own, again] = [await ask(intruder), await ask(owner), await ask(owner)]
    const paths = [foreign, own, again].map(({ upload }) => new URL(upload.url).pathname)
    expect(paths[0]).toMatch(/\/uploads\/intruder\/the-paper\/[\w-]{20,}$/)
    expect(paths[1]).toMatch(/\/uploads\/owner\/the-paper\/[\w-]{20,}$/)
    expect(new Set(paths).size).toBe(3)
    expect(new URL(own.upload.url).searchParams.get("X-Amz-Expires")).toBe("900")
    expect(Date.parse(own.upload.expires) - Date.now()).toBeLessThanOrEqual(900_000)
    expect(Object.keys(foreign)).toEqual(Object.keys(own))
  })

  test("is signed for that PUT of that type alone: not to read, to delete, to write another key, or for longer", async () => {
    const { upload } = await ask(owner)
    const type = upload.headers["content-type"] ?? ""
    const given = new URL(upload.url)
    const signature = given.searchParams.get("X-Amz-Signature")
    expect(await signatureOf(given, "PUT", type)).toBe(signature)
    const changed = (change: (url: URL) => void) => {
      const url = new URL(given)
      change(url)
      return url
    }
    const others: [URL, string, string][] = [
      [given, "GET", type],
      [given, "DELETE", type],
      [given, "PUT", "text/html"],
      [changed((url) => (url.pathname += "x")), "PUT", type],
      [changed((url) => (url.pathname = url.pathname.replace("owner", "intruder"))), "PUT", type],
      [changed((url) => url.searchParams.set("X-Amz-Expires", "9000")), "PUT", type],
      [changed((url) => url.searchParams.set("acl", "")), "PUT", type],
    ]
    for (const [url, method, contentType] of others) {
      expect(await signatureOf(url, method, contentType)).not.toBe(signature)
    }
  })
})

/** The signature that S3 asks for (SigV4, by another implementation than the one that made the link). */
async function signatureOf(url: URL, method: string, contentType: string): Promise<string | null> {
  const unsigned = new URL(url)
  const datetime = unsigned.searchParams.get("X-Amz-Date") ?? ""
  for (const name of ["Signature", "Date", "Algorithm", "Credential", "SignedHeaders"]) {
    unsigned.searchParams.delete(`X-Amz-${name}`)
  }
  const signer = new AwsV4Signer({
    ...{ ...CREDENTIALS, url: unsigned.href, method, datetime },
    ...{
      headers: { "content-type": contentType },
      service: "s3",
      region: "us-east-1",
      signQuery: true,
      allHeaders: true,
    },
  })
  return (await signer.sign()).url.searchParams.get("X-Amz-Signature")
}
