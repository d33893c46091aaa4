import { execFile } from "node:child_process"
import { existsSync } from "node:fs"
import { chmod, chown, mkdtemp, readFile, rm } from "node:fs/promises"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import pg from "pg"

const run = promisify(execFile)
const BIN = "/usr/lib/postgresql/15/bin"

/** A PostgreSQL server that a test may kill. */
export interface PrivateCluster {
  /** As superuser. */
  readonly url: string
  start(): Promise<void>
  /** SIGKILL to the postmaster and every backend, as a machine that loses power. */
  kill(): Promise<void>
  /** SIGSTOP to the postmaster and every backend: connections stand, and nothing answers. */
  hang(): Promise<void>
  /** Lets them go on. */
  goOn(): Promise<void>
  query(text: string): Promise<Record<string, unknown>[]>
  /** Stops it and removes its data. */
  remove(): Promise<void>
}

/** Why there can be none here, or null. */
export function whyNoCluster(): string | null {
  if (!existsSync(`${BIN}/initdb`)) return "SKIPPED: no PostgreSQL 15 here; .ci/postgres installs it"
  return process.getuid?.() === 0 ? null : "SKIPPED: needs root, to run PostgreSQL as its own user"
}

/** Makes and starts one, in `parent` or the folder for temporary files. */
export async function openCluster(parent = tmpdir()): Promise<PrivateCluster> {
  const data = await mkdtemp(join(parent, "concordance-cluster-"))
  const { stdout } = await run("id", ["-u", "postgres"])
  await chown(data, Number(stdout), Number(stdout))
  await chmod(data, 0o700)
  const port = await freePort()
  const asPostgres = (command: string) => run("su", ["postgres", "-s", "/bin/bash", "-c", `cd / && ${command}`])
  await asPostgres(`${BIN}/initdb -D ${data} -U postgres --auth=trust --encoding=UTF8 --locale=C.UTF-8 --no-sync`)
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
  const options = `-p ${port} -c unix_socket_directories= -c listen_addresses=127.0.0.1 -c shared_buffers=64MB -c max_wal_size=48MB`
  const start = async () => {
    await asPostgres(`${BIN}/pg_ctl -D ${data} -w -t 60 -l ${data}/log start -o '${options}' > /dev/null`)
  }
  const signalAll = async (signal: NodeJS.Signals) => {
    const pid = Number((await readFile(join(data, "postmaster.pid"), "utf8")).split("\n")[0])
    // The postmaster stands still first: one that it made after the list would live on, and keep the next from starting.
    if (signal !== "SIGCONT") sendTo(pid, "SIGSTOP")
    const { stdout: children } = await run("pgrep", ["-P", String(pid)]).catch(() => ({ stdout: "" }))
    for (const one of [pid, ...children.split("\n").filter(Boolean).map(Number)]) sendTo(one, signal)
  }
  const kill = async () => {
    await signalAll("SIGKILL")
    // Where process 1 is slow to reap, the dead postmaster counts as alive, and its file would keep the next from starting. It has
    // no socket for the same reason.
    await rm(join(data, "postmaster.pid"), { force: true })
  }
  await start()
  return {
    url,
    start,
    kill,
    hang: () => signalAll("SIGSTOP"),
    goOn: () => signalAll("SIGCONT"),
    async query(text) {
      const client = new pg.Client({ connectionString: url })
      await client.connect()
      try {
        return (await client.query<Record<string, unknown>>(text)).rows
      } finally {
        await client.end()
      }
    },
    async remove() {
      await kill().catch(() => undefined)
      await rm(data, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

function sendTo(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It ended by itself.
  }
}

/** A port that was free a moment ago. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once("error", reject)
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })
}
