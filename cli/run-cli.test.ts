import { execFile } from "node:child_process"
import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test, vi } from "vitest"
import { concordance } from "../tests/run-concordance.ts"

/** Each command opens the embedded database anew, which takes 10 s on a machine that does much else. */
const SLOW = { timeout: 240_000 }

let home: string
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "concordance-cli-"))
  vi.stubEnv("CONCORDANCE_HOME", home)
  // No test here is about meaning, and without a model they are quicker.
  vi.stubEnv("EMBEDDING_MODEL", "none")
  vi.stubEnv("RERANK_MODEL", "none")
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await rm(home, { recursive: true })
})

test("the installed command runs, prints to stdout and sets its exit status", SLOW, async () => {
  const run = (...args: string[]) =>
    new Promise<{ status: number | null; out: string }>((resolve) => {
      const child = execFile(process.execPath, ["cli/concordance.mjs", ...args], (_, out) => {
        resolve({ status: child.exitCode, out })
      })
    })
  expect(await run("--help")).toMatchObject({ status: 0, out: expect.stringContaining("Usage: concordance") })
  expect(await run("serach")).toEqual({ status: 2, out: "" })
})

test("--help names every command, in 80 columns", async () => {
  const { status, out } = await concordance("--help")
  expect(status).toBe(0)
  for (const command of [
    "serve",
    "index",
    "index-check",
    "ingest",
    "import",
    "documents",
    "open",
    "entities",
    "search",
    "client",
    "migrate",
    "models",
    "keys",
    "spaces",
    "bench",
    "demo",
  ]) {
    expect(out).toMatch(new RegExp(`^  ${command} `, "m"))
  }
  for (const line of out.split("\n")) expect(line.length).toBeLessThanOrEqual(80)
})

test.each([
  [["search", " "], /^Give words to search for\./],
  [["search"], /missing required argument 'words'/],
  [["serach", "x"], /unknown command 'serach'/],
  [["search", "x", "--strategy", "best"], /Allowed choices are rrf/],
  [["search", "x", "--top-k", "0"], /A number from 1 to 200/],
  [["keys", "create", "k", "--scope", "all"], /One of search, index, delete, inference/],
  [["keys", "create", "k", "--expires", "2001-01-01"], /lies in the past/],
  [["keys", "rotate", "k", "--overlap", "soon"], /A time like 30m, 24h or 7d, or 0/],
  [["keys", "rotate", "k", "--overlap", "366d"], /At most 365d/],
  [["ingest", "--concurrency", "0"], /A number from 1 to 64/],
  [["open", "somewhere"], /A citation looks like/],
  [["documents", "delete"], /missing required argument 'ids'/],
  [["bench", "latency"], /required option '--chunks <n>'/],
])("%j is called in a wrong way: status 2, and says so", async (args, message) => {
  const { status, out, err } = await concordance(...args)
  expect(status).toBe(2)
  expect(err).toMatch(message)
  expect(out).toBe("")
})

test("a file that doesn't exist is one line on stderr, without a stack, and status 1", async () => {
  const { status, out, err } = await concordance("index", "/no/such/folder")
  expect({ status, out, err }).toEqual({
    status: 1,
    out: "",
    err: "Error: There is no file or folder at /no/such/folder",
  })
})

test("what is indexed is found by its tenant alone", SLOW, async () => {
  await writeFile(join(home, "note.md"), "# Tides\nThe spring tide floods the quay.")
  const indexed = await concordance("index", join(home, "note.md"), "--tenant", "harbour")
  expect(indexed.status, indexed.err).toBe(0)
  expect(indexed.out).toMatch(/^Indexed 1 document in .* skipped 0, failed 0\.$/)

  const words = ["search", "spring", "tide", "--strategy", "lexical"]
  const found = await concordance(...words, "--tenant", "harbour")
  expect(found.status, found.err).toBe(0)
  expect(found.out).toMatch(/^ 1 {2}\d\.\d{4} {2}Tides\n {4}\[\[note#c0001\]\]/)

  const other = await concordance(...words, "--json")
  expect(JSON.parse(other.out)).toMatchObject({ count: 0, results: [] })
})

test("documents are listed, shown and deleted, by their tenant alone", SLOW, async () => {
  await writeFile(join(home, "pier.md"), "# The pier\nIts planks were laid in 1902.")
  await concordance("index", join(home, "pier.md"), "--tenant", "yard")
  const listed = await concordance("documents", "list", "--tenant", "yard")
  expect(listed).toEqual({ status: 0, out: "pier  ready, 1 chunks  The pier", err: "" })
  const shown = await concordance("documents", "show", "pier", "--tenant", "yard", "--json")
  expect(JSON.parse(shown.out)).toMatchObject({ id: "pier", status: "ready", chunks: 1 })
  expect(await concordance("documents", "show", "pier")).toMatchObject({ status: 1 })
  expect(await concordance("open", "pier#c0001", "--tenant", "yard")).toMatchObject({
    status: 1,
    err: expect.stringContaining("only PDFs and images have pages with pictures"),
  })
  const deleted = await concordance("documents", "delete", "pier", "none", "--tenant", "yard")
  expect(deleted).toEqual({ status: 1, out: "Deleted pier.", err: "Error: yard has no document none" })
})

test("ingest asks before it deletes, and says when there is nothing to read", SLOW, async () => {
  const unasked = await concordance("ingest", home, "--reset")
  expect(unasked).toMatchObject({ status: 1, err: expect.stringContaining("Nothing was deleted") })
  await mkdir(join(home, "nothing"))
  const empty = await concordance("ingest", join(home, "nothing"))
  expect(empty).toMatchObject({ status: 1, err: expect.stringContaining("there is no file to read") })
  const absent = await concordance("ingest", join(home, "no/*.pdf"))
  expect(absent).toMatchObject({ status: 1, err: expect.stringContaining("no file or folder") })
})

test("a key is printed once, and listed without itself until it is revoked and after", SLOW, async () => {
  const made = await concordance("keys", "create", "reader", "--tenant", "a", "--tenant", "b", "--scope", "search")
  expect(made.status, made.err).toBe(0)
  expect(made.out).toMatch(/^cc_[\w-]{43}$/)
  const id = /key_\S+/.exec(made.err)?.[0] ?? ""
  expect(await concordance("keys", "revoke", id)).toMatchObject({ status: 0 })
  const { out } = await concordance("keys", "list")
  expect(out).toMatch(new RegExp(`^${id} {2}reader\\n {4}tenants a, b; scopes search; never used; revoked \\d{4}-`))
  expect(out).not.toContain(made.out)
})

test(
  "a key is rotated: the new one is printed once, both are listed with each other, and soon's end is warned of",
  SLOW,
  async () => {
    const made = await concordance("keys", "create", "turned", "--tenant", "a", "--expires", "9d", "--json")
    const old = (JSON.parse(made.out) as { record: { id: string } }).record.id
    const rotated = await concordance("keys", "rotate", old, "--overlap", "48h")
    expect(rotated.status, rotated.err).toBe(0)
    expect(rotated.out).toMatch(/^cc_[\w-]{43}$/)
    expect(rotated.err).toContain(`The old one, ${old}, ends 2`)
    const [id = ""] = /key_\S+/.exec(rotated.err) ?? []
    const { out, err } = await concordance("keys", "list")
    expect(out).toMatch(new RegExp(`^${id} {2}turned\\n {4}tenants a; .*never used; replaces ${old}; expires 2`, "m"))
    expect(out).toMatch(new RegExp(`^${old} {2}turned\\n {4}.*; replaced by ${id}; expires 2`, "m"))
    expect(err).toBe(`Warning: ${id} (turned) expires in 8 days: concordance keys rotate ${id}`)
    const again = await concordance("keys", "rotate", old)
    expect(again).toMatchObject({ status: 1, out: "", err: expect.stringContaining(id) })
    expect(await concordance("keys", "rotate", "key_x")).toMatchObject({ status: 1, out: "" })
  },
)

test("a key for a tenant without a name is refused in the words of the HTTP API", SLOW, async () => {
  const { status, err } = await concordance("keys", "create", "q", "--tenant", "")
  expect({ status, err }).toEqual({ status: 1, err: "Error: tenants.0: must not be empty" })
})

test(
  "bundles are imported, one that is wrong is named and keeps none out, and entities are rebuilt",
  SLOW,
  async () => {
    const bundles = join(home, "bundles")
    await cp("samples/bundles", bundles, { recursive: true })
    await mkdir(join(bundles, "wrong"))
    await writeFile(join(bundles, "wrong/_index.json"), '{"bundle": 1, "titel": "x"}')
    const { status, out, err } = await concordance("import", bundles, "--tenant", "archive")
    expect(out).toMatch(/^Imported 1 document \(40 chunks, \d images, 2 tables\) in .* s, skipped 0, failed 1\.$/)
    expect(err).toContain("failed wrong: _index.json: title: is required")
    expect(err).toContain('_index.json: must not hold "titel"')
    expect(status).toBe(1)
    const rebuilt = await concordance("entities", "rebuild", "--tenant", "archive")
    expect(rebuilt.out).toMatch(/^29 entities, mentioned 60 times, written in .* s\.$/)
    expect((await concordance("import", join(home, "nothing"))).status).toBe(1)
  },
)

test("a file that is left out is called by its path", SLOW, async () => {
  await mkdir(join(home, "left/out"), { recursive: true })
  await writeFile(join(home, "left/out/empty.md"), "")
  await writeFile(join(home, "left/picture.png"), "")
  const { status, err } = await concordance("index", join(home, "left"))
  expect(status).toBe(1)
  expect(err).toMatch(/^skipped picture.png: neither text nor Markdown .*\nskipped out\/empty.md: empty$/m)
})

test("search --help and index --help say how words with - are asked and how ids are made", async () => {
  expect((await concordance("search", "--help")).out).toContain("search -- lighthouse -keeper")
  expect((await concordance("index", "--help")).out).toContain("with the same id is replaced")
})

test("models list prints the name that settings use, and the folder", async () => {
  for (const folder of ["all-MiniLM-L6-v2", "Xenova/bge-m3", "owner/other", "mine"]) {
    await mkdir(join(home, "models", folder), { recursive: true })
    await writeFile(join(home, "models", folder, "config.json"), "{}")
  }
  const { out } = await concordance("models", "list")
  expect(out.split("\n").sort()).toEqual(
    [
      "BAAI/bge-m3  Xenova/bge-m3  0 MB",
      "owner/other  owner/other  0 MB",
      "sentence-transformers/all-MiniLM-L6-v2  all-MiniLM-L6-v2  0 MB",
      `${join(home, "models/mine")}  mine  0 MB`,
    ].sort(),
  )
  await rm(join(home, "models"), { recursive: true })
})

test("a wrong setting is named, with status 1", async () => {
  vi.stubEnv("PORT", "many")
  const { status, err } = await concordance("migrate")
  vi.stubEnv("PORT", undefined)
  expect(status).toBe(1)
  expect(err).toMatch(/PORT must be a whole number/)
})
