import { randomUUID } from "node:crypto"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { createPagePictures } from "../../lib/documents/page-pictures.ts"
import { createMemoryObjects } from "../memory-objects.ts"
import { testServerUrl } from "../postgres-server.ts"
import { send, settled } from "./answers.ts"
import { findForeignCandidates, findLeaks, showsOwner } from "./find-leaks.ts"
import { cursorsOf } from "./foreign-cursors.ts"
import { httpProbes } from "./http-probes.ts"
import { MARK, nobodys } from "./marks.ts"
import { mcpProbes, mcpRequest } from "./mcp-probes.ts"
import { INTRUDER, type LeakWorld, OWNER, openWorld } from "./open-world.ts"
import { type OpenApiDocument, readOpenApi } from "./openapi-document.ts"
import { stateOf } from "./owners-state.ts"
import type { Probe } from "./probe.ts"
import { statementsDuring } from "./record-work.ts"
import { withoutLine, withoutPolicy } from "./without-a-wall.ts"

// Every route of /openapi.json and everything that the MCP server lists, asked by one tenant's key for what is another's.
// A new route or tool is in it without a line here; a new parameter fails until said.ts knows what it could name.

/** Thousands of requests: the first test took 108 s, the whole file 402 s, on two cores with a load of 17 to 20. */
const LONG_MS = 600_000

/** What shows nobody's documents, so that no probe of it could find a leak by itself. */
const NEUTRAL = [
  /^GET \/health(?:\/live|\/ready)?$/,
  /^GET \/answer\/graph$/,
  /^POST \/(?:embed|rerank|v1\/embeddings)$/,
  /^GET \/\.well-known\//,
  /^prompts\/get$/,
  /^tool server_health$/,
]

let world: LeakWorld
let document: OpenApiDocument
let probes: readonly Probe[]

beforeAll(async () => {
  world = await openWorld()
  const { served, keys } = world
  document = readOpenApi(await (await served.send("GET", "/openapi.json")).json())
  const cursors = await cursorsOf(served, document, keys.owner)
  const all = [...(await httpProbes(document, cursors)), ...(await mcpProbes(served, keys))]
  // What names no document is the same for each.
  probes = [...new Map(all.map((probe) => [probe.label, probe])).values()]
}, LONG_MS)
afterAll(() => world.close())

const readingProbes = () => probes.filter(({ writes }) => !writes)
const probesOf = (...targets: string[]) => probes.filter(({ target }) => targets.includes(target))

describe("a key of one tenant", () => {
  test(
    "reaches nothing of another's by any route or tool, and hears the same as of what nobody has",
    async () => {
      expect(await findLeaks(world, readingProbes(), world.keys.intruder)).toEqual([])
      expect(await findForeignCandidates(world)).toEqual([])
    },
    LONG_MS,
  )

  test(
    "is asked for what is there: each target shows its owner something, but for those that show nobody's",
    async () => {
      const silent = new Set(readingProbes().map(({ target }) => target))
      for (const probe of readingProbes()) {
        if (silent.has(probe.target) && (await showsOwner(world, probe))) silent.delete(probe.target)
      }
      const neutral = [...silent].filter((target) => NEUTRAL.some((known) => known.test(target)))
      expect([...silent].sort()).toEqual(neutral.sort())
      // Every operation is among them, and nothing that the list names is gone.
      const targets = new Set(probes.map(({ target }) => target))
      for (const { method, path } of document.operations) expect(targets).toContain(`${method} ${path}`)
      for (const known of NEUTRAL) expect([...targets].some((target) => known.test(target))).toBe(true)
    },
    LONG_MS,
  )
})

test(
  "a key of several tenants is refused one that isn't among them, everywhere and as one that nobody is",
  async () => {
    const named = probes.filter(({ label, twin }) => twin !== null && label.includes(OWNER))
    expect(named.length).toBeGreaterThan(30)
    expect(await findLeaks(world, named, world.keys.several)).toEqual([])
  },
  LONG_MS,
)

test(
  "a key that has expired or was revoked, a wrong one and none open nothing, and are told alike",
  async () => {
    const { served, keys } = world
    let senders = 0
    const first = new Map(probes.map((probe) => [probe.target, probe]))
    const open = new Set(
      document.operations.filter(({ needsKey }) => !needsKey).map(({ method, path }) => `${method} ${path}`),
    )
    for (const [target, { request, sent }] of first) {
      if (open.has(target)) continue
      const heard = async (key?: string) => {
        const headers = { ...request.headers, "x-forwarded-for": `2001:db8:${(++senders).toString(16)}::1` }
        return settled(await send(served, { ...request, headers }, key), sent)
      }
      const [expired, revoked, wrong] = [await heard(keys.expired), await heard(keys.revoked), await heard("cc_wrong")]
      expect([target, expired]).toEqual([target, expect.stringMatching(/^401\n/)])
      expect([revoked, wrong]).toEqual([expired, expired])
      expect([target, (await heard()).slice(0, 3)]).toEqual([target, "401"])
    }
  },
  LONG_MS,
)

describe("what is another's and what nobody has", () => {
  test.skipIf(testServerUrl())(
    "make the database run the same statements, as many and in the same order",
    async () => {
      const { served, keys } = world
      const singles = probes.filter(
        ({ twin, target, label }) =>
          twin !== null && /\{id\}|^tool |resources/.test(target) && label.includes("doc-pdf"),
      )
      const looked = new Set<string>()
      for (const { target, request, twin } of singles) {
        if (looked.has(target)) continue
        // The key is looked up once in 30 s.
        await send(served, request, keys.intruder)
        const foreign = await statementsDuring(() => send(served, request, keys.intruder))
        // It was refused before anything was looked up.
        if (foreign.length === 0) continue
        const missing = await statementsDuring(() => send(served, twin ?? request, keys.intruder))
        expect([target, foreign]).toEqual([target, missing])
        looked.add(target)
      }
      expect(looked.size).toBeGreaterThan(12)
    },
    LONG_MS,
  )

  test("make the object store do nothing", async () => {
    const { documentPages } = world.served.runtime
    const asked: string[] = []
    const objects = new Proxy(createMemoryObjects(), {
      get: (store, name) => {
        asked.push(String(name))
        return Reflect.get(store, name)
      },
    })
    const pictures = createPagePictures({ pages: documentPages, objects })
    for (const id of [`${MARK}doc-pdf`, nobodys(`${MARK}doc-pdf`)]) {
      const part = { chunkId: undefined, box: { x0: 0, y0: 0, x1: 1, y1: 1 }, highlight: false, format: "png" } as const
      await expect(pictures.part(INTRUDER, id, 1, part)).rejects.toMatchObject({ code: "not_found" })
      await expect(pictures.whole(INTRUDER, id, 1)).rejects.toMatchObject({ code: "not_found" })
    }
    expect(asked).toEqual([])
    await expect(pictures.whole(OWNER, `${MARK}doc-pdf`, 1).then(({ read }) => read())).rejects.toMatchObject({
      code: "not_found",
    })
    expect(asked).toEqual(["get"])
  })
})

describe("sessions and calls of MCP", () => {
  test("of another key are not there: no message goes in, and no call is cancelled", async () => {
    const { served, keys } = world
    const stream = await served.send("GET", "/sse", undefined, { "x-api-key": keys.owner })
    const reader = stream.body?.getReader()
    const endpoint = /data: (.+)/.exec(new TextDecoder().decode((await reader?.read())?.value))?.[1] ?? ""
    expect(endpoint).toContain("/messages?sessionId=")
    const message = (path: string) => ({ ...mcpRequest("tools/list"), path })
    const never = `/messages?sessionId=${randomUUID()}`
    const foreign = settled(await send(served, message(endpoint), keys.intruder), [])
    expect(foreign).toBe(settled(await send(served, message(never), keys.intruder), []))
    expect(foreign).toContain("404")
    expect((await send(served, message(endpoint), keys.owner)).status).toBe(202)
    await reader?.cancel()

    const session = { "mcp-session-id": randomUUID() }
    const call = mcpRequest("tools/call", { name: "retrieve", arguments: { query: "secret of the harbour" } }, session)
    const cancel = (key: string) => send(served, mcpRequest("notifications/cancelled", { requestId: 1 }, session), key)
    const undisturbed = send(served, call, keys.owner)
    const answers = [await cancel(keys.intruder), await cancel(keys.several)].map((answer) => settled(answer, []))
    expect(answers[0]).toBe(answers[1])
    expect((await undisturbed).body).toContain(`${MARK}secret`)
  })
})

describe("the check finds a leak where there is one", () => {
  test("the candidates function without its line about the tenant", async () => {
    await withoutLine(world, async () => {
      expect(await findForeignCandidates(world)).not.toEqual([])
    })
    expect(await findForeignCandidates(world)).toEqual([])
  })

  test.each([
    ["chunks", ["POST /search", "GET /documents/{id}/chunks", "tool retrieve"]],
    ["documents", ["GET /documents", "GET /documents/{id}"]],
  ])(
    "row-level security of %s without its condition",
    async (table, targets) => {
      const attempts = probesOf(...targets)
      await withoutPolicy(world, table, async () => {
        expect(await findLeaks(world, attempts, world.keys.intruder)).not.toEqual([])
      })
    },
    LONG_MS,
  )
})

// Last: afterwards the intruder has documents of the owner's ids.
describe("a key of one tenant that writes", () => {
  test(
    "changes no row and no object of another's, whatever it writes or deletes, and hears the same as of what nobody has",
    async () => {
      const before = await stateOf(world, OWNER)
      expect(Object.keys(before).filter((name) => name.includes("/")).length).toBeGreaterThan(5)
      expect(before["chunks"]).toMatch(/^[1-9]/)
      // Deletes first: afterwards it has documents of those ids itself.
      const writing = probes.filter(({ writes }) => writes).sort((a, b) => a.target.localeCompare(b.target))
      expect(await findLeaks(world, writing, world.keys.intruder)).toEqual([])
      await world.served.runtime.ingest.idle()
      expect(await stateOf(world, OWNER)).toEqual(before)
    },
    LONG_MS,
  )
})
