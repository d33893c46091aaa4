import { randomUUID } from "node:crypto"
import { readFileSync } from "node:fs"
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { hostname } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { AppError } from "../errors.ts"

/** The hold on a directory; `release` gives it back. */
export interface DirectoryLock {
  release(): Promise<void>
}

interface Claim {
  readonly pid: number
  /** When the process started, as its system counts it: tells it from a later one of the same pid. */
  readonly startedAt: string | null
  readonly host: string
}

/** Two starts at the very same moment see each other and both step back; they come again after different waits. */
const ATTEMPTS = 5
const WAIT_MS_MAX = 80

/**
 * Takes a directory for this process alone, by a claim file of its own in `<directory>.lock/`. Whoever finds no other
 * living claim beside its own holds the directory. A claim is only ever removed when its process is dead, and its name
 * is never used again, so taking over after a kill -9 cannot remove somebody's fresh claim, as it can with one
 * well-known lock file.
 *
 * @throws AppError `conflict` that names the directory and the process that holds it
 */
export async function lockDirectory(directory: string): Promise<DirectoryLock> {
  const claims = `${directory}.lock`
  await mkdir(claims, { recursive: true })
  const own: Claim = { pid: process.pid, startedAt: processStartedAt(process.pid), host: hostname() }
  for (let attempt = 1; ; attempt++) {
    const name = `${process.pid}-${randomUUID()}.json`
    await writeFile(join(claims, name), JSON.stringify(own), { flag: "wx" })
    const holder = await findHolder(claims, name)
    if (!holder) return { release: () => rm(join(claims, name), { force: true }) }
    await rm(join(claims, name), { force: true })
    if (attempt === ATTEMPTS) throw heldBy(holder, directory, claims)
    await sleep(Math.random() * WAIT_MS_MAX)
  }
}

/** Any living claim other than `ownName`; those of dead processes are removed on the way. */
async function findHolder(claims: string, ownName: string): Promise<Claim | undefined> {
  for (const name of await readdir(claims)) {
    if (name === ownName || !name.endsWith(".json")) continue
    const path = join(claims, name)
    const text = await readFile(path, "utf8").catch(() => undefined)
    if (text === undefined) continue // released since
    const claim = parseClaim(text, name)
    if (isAlive(claim)) return claim
    await rm(path, { force: true })
  }
  return undefined
}

/** A claim that is half written stands for a process that lives, or was killed just there: its pid is in the name. */
function parseClaim(text: string, name: string): Claim {
  try {
    return JSON.parse(text) as Claim
  } catch {
    return { pid: Number.parseInt(name, 10), startedAt: null, host: hostname() }
  }
}

function isAlive(claim: Claim): boolean {
  // Processes of another machine or container cannot be seen from here: only a person can tell.
  if (claim.host !== hostname()) return true
  try {
    process.kill(claim.pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return false
  }
  const startedAt = processStartedAt(claim.pid)
  return startedAt === null || claim.startedAt === null || startedAt === claim.startedAt
}

/** Clock ticks from boot to the start of a process (`/proc/<pid>/stat`, field 22); null where there is no `/proc`. */
function processStartedAt(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1")
    // The second field is the program's name in brackets and may hold spaces: count from its end.
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? null
  } catch {
    return null
  }
}

function heldBy(holder: Claim, directory: string, claims: string): AppError {
  if (holder.host !== hostname()) {
    return new AppError(
      "conflict",
      `The database in ${directory} is held by process ${holder.pid} on ${holder.host}, which cannot be seen from here. ` +
        `Stop it; if it is gone for good, delete ${claims} and start again.`,
    )
  }
  const who = holder.pid === process.pid ? `this process (${holder.pid}) already` : `process ${holder.pid}`
  return new AppError(
    "conflict",
    `The database in ${directory} is held by ${who}. Stop that process first, or give this one another home (CONCORDANCE_HOME).`,
  )
}
