import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises"
import { hostname, tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { lockDirectory } from "./directory-lock.ts"
import { openPglite } from "./pglite.ts"

let home: string
const children: ChildProcess[] = []

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "home-"))
})
afterEach(async () => {
  for (const child of children.splice(0)) child.kill("SIGKILL")
  await rm(home, { recursive: true })
})

/** Another process that opens the database of `home`, writes a row and stays. */
async function startHolder(): Promise<ChildProcess> {
  const program = `
    import { openPglite } from ${JSON.stringify(new URL("./pglite.ts", import.meta.url).href)}
    const { owner } = await openPglite({ home: ${JSON.stringify(home)} })
    await owner.session((session) => session.script("create table public.kept as select 1 as n"))
    process.stdout.write("ready")
    setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ["--import", "tsx", "--input-type=module", "-e", program], {
    stdio: ["ignore", "pipe", "inherit"],
  })
  children.push(child)
  if (child.stdout) await once(child.stdout, "data")
  return child
}

test("a second process is refused by name; after kill -9 the next takes over and finds what was written", async () => {
  const holder = await startHolder()
  const error = await openPglite({ home }).catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ code: "conflict" })
  expect(String(error)).toContain(`${join(home, "database")} is held by process ${holder.pid}`)

  const exited = once(holder, "exit")
  holder.kill("SIGKILL")
  await exited
  const { owner } = await openPglite({ home })
  expect(await owner.session((session) => session.query("select n from public.kept"))).toEqual([{ n: 1 }])
  await owner.close()
})

test("a directory is free again after close, and not before", async () => {
  const directory = join(home, "database")
  const lock = await lockDirectory(directory)
  await expect(lockDirectory(directory)).rejects.toThrow(`held by this process (${process.pid}) already`)
  await lock.release()
  await (await lockDirectory(directory)).release()
  expect(await readdir(`${directory}.lock`)).toEqual([])
})

test("of many that come at once at most one holds the directory", async () => {
  const attempts = await Promise.allSettled(Array.from({ length: 8 }, () => lockDirectory(join(home, "database"))))
  expect(attempts.filter(({ status }) => status === "fulfilled").length).toBeLessThanOrEqual(1)
})

test("a claim whose pid now belongs to another process is stale", async () => {
  await claim({ pid: process.pid, startedAt: "1", host: hostname() })
  await (await lockDirectory(join(home, "database"))).release()
})

test("a claim of another machine is never taken over: the message says what to delete", async () => {
  await claim({ pid: 999_999_999, startedAt: "1", host: "elsewhere" })
  await expect(lockDirectory(join(home, "database"))).rejects.toThrow(
    /process 999999999 on elsewhere.*delete .*database\.lock/,
  )
})

test("a claim that was cut off while it was written counts by the pid in its name", async () => {
  await mkdir(join(home, "database.lock"))
  await writeFile(join(home, "database.lock", "999999999-x.json"), "")
  await (await lockDirectory(join(home, "database"))).release()
})

async function claim(content: object): Promise<void> {
  await mkdir(join(home, "database.lock"))
  await writeFile(join(home, "database.lock", "1-other.json"), JSON.stringify(content))
}
