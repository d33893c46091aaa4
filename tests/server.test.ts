import { type ChildProcess, spawn } from "node:child_process"
import { mkdtemp, rm, symlink } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest"
import { testModelHome } from "./model-home.ts"

const REPOSITORY = fileURLToPath(new URL("..", import.meta.url))

/** A server process: what it wrote, where it listens once it does, and how it ended. */
interface Process {
  readonly child: ChildProcess
  readonly written: { out: string; err: string }
  readonly ended: Promise<number | null>
}

let home: string
const started: ChildProcess[] = []

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "concordance-server-"))
  await symlink(join(await testModelHome(), "models"), join(home, "models"))
})
afterEach(() => {
  for (const child of started.splice(0)) child.kill("SIGKILL")
})
afterAll(async () => {
  await rm(home, { recursive: true, force: true })
})

function start(environment: Record<string, string>): Process {
  const child = spawn(process.execPath, ["--import", "tsx", "functions/server.ts"], {
    cwd: REPOSITORY,
    env: { CONCORDANCE_HOME: home, PORT: "0", ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  })
  started.push(child)
  const written = { out: "", err: "" }
  child.stdout?.on("data", (data) => (written.out += data))
  child.stderr?.on("data", (data) => (written.err += data))
  return { child, written, ended: new Promise((resolve) => child.on("exit", resolve)) }
}

async function listening({ written, ended }: Process): Promise<string> {
  let over = false
  void ended.then(() => {
    over = true
  })
  for (;;) {
    const url = /"message":"listening","url":"([^"]+)"/.exec(written.err)?.[1]
    if (url) return url
    if (over) throw new Error(`the server ended: ${written.err}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

// A first start writes a database of its own, which takes 10 s of work: minutes on a machine that is busy with others.
describe("npm start", { timeout: 300_000 }, () => {
  test("on a fresh home loads the samples, prints three calls that find something, and drains on SIGTERM", async () => {
    const server = start({})
    const url = await listening(server)
    expect(server.written.err).toContain('"message":"model ready"')
    await vi.waitFor(() => expect(server.written.out).toMatch(/Loaded 41 sample documents. 2 PDFs more/), 60_000)
    const calls = await vi.waitFor(() => {
      const printed = [...server.written.out.matchAll(/curl -s (\S+) .*-d '(.*)'$/gm)]
      expect(printed).toHaveLength(3)
      return printed
    }, 60_000)
    for (const [, address, body] of calls) {
      const response = await fetch(address ?? "", { method: "POST", body: body ?? "" })
      expect(response.status).toBe(200)
      expect(((await response.json()) as { count: number }).count).toBeGreaterThan(0)
    }
    const search = fetch(`${url}/search`, { method: "POST", body: '{"query":"lighthouse","rerank":true}' })
    await new Promise((resolve) => setTimeout(resolve, 5))
    server.child.kill("SIGTERM")
    expect((await search).status).toBe(200)
    expect(await server.ended).toBe(0)
  })

  test("on the same home keeps what it held, and says so when another has the home or the port", async () => {
    const server = start({})
    const url = await listening(server)
    expect(server.written.out).toBe("")
    // What the first start left of the PDFs, this one goes on with.
    await vi.waitFor(async () => {
      const listed = (await (await fetch(`${url}/documents?limit=200`)).json()) as { documents: { status: string }[] }
      expect(listed.documents.map(({ status }) => status)).toEqual(Array(43).fill("ready"))
    }, 120_000)

    const sameHome = start({})
    expect(await sameHome.ended).toBe(1)
    expect(sameHome.written.err).toMatch(/^Concordance can't run: .*(another|process)/m)

    const samePort = start({ PORT: new URL(url).port, CONCORDANCE_HOME: join(home, "other") })
    expect(await samePort.ended).toBe(1)
    expect(samePort.written.err).toMatch(/Port \d+ on 127\.0\.0\.1 is taken.*PORT/)
    server.child.kill("SIGINT")
    expect(await server.ended).toBe(0)
  })

  test("refuses to serve strangers before there is a key, and names the command that makes one", async () => {
    const server = start({ HOST: "0.0.0.0" })
    expect(await server.ended).toBe(1)
    expect(server.written.err).toContain("keys create")
    expect(server.written.err).toContain("CONCORDANCE_SERVE_WITHOUT_KEYS")
    expect(server.written.err).not.toContain("    at ")
  })

  test("a wrong setting stops it at once, by name", async () => {
    const server = start({ PORT: "http", LOG_LEVEL: "loud" })
    expect(await server.ended).toBe(1)
    expect(server.written.err).toMatch(/PORT must be a whole number[\s\S]*LOG_LEVEL must be one of/)
  })
})
