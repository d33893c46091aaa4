import { randomUUID } from "node:crypto"
import pg from "pg"
import type { OwnerDatabase } from "../lib/database/database.ts"
import { openDatabase } from "../lib/database/open-database.ts"
import type { TestDatabase } from "./database.ts"
import { type NeonLocal, startNeonLocal } from "./neon-local.ts"

/** Neither is a superuser: what they may do is what a managed PostgreSQL gives. */
const OWNER = "concordance_test_owner"
const LOGIN = "concordance_login"
const PASSWORD = "concordance-test"

/** A superuser's URL of the server to test on (`.ci/postgres` prints one); undefined: PGlite. */
export function testServerUrl(): string | undefined {
  // biome-ignore lint/style/noProcessEnv: the one place where tests learn which server to use
  return process.env["CONCORDANCE_TEST_DATABASE_URL"] || undefined
}

/** `neon` runs the same tests through the Neon driver, over an emulator of its edge. */
export function testServerDriver(): "pg" | "neon" {
  // biome-ignore lint/style/noProcessEnv: the one place where tests learn which driver to use
  return process.env["CONCORDANCE_TEST_DRIVER"] === "neon" ? "neon" : "pg"
}

let neonLocal: Promise<NeonLocal> | undefined

/**
 * A database of its own on the test server, copied from a template that `prepare` filled once for each `version`.
 * Requests log in as `concordance_login`, the owner as a role that is not a superuser.
 */
export async function openTestServer(
  version: string,
  prepare: (owner: OwnerDatabase) => Promise<unknown>,
): Promise<TestDatabase> {
  const template = `concordance_template_${version}`
  const name = `concordance_test_${randomUUID().replaceAll("-", "")}`
  await asSuperuser("postgres", async (admin) => {
    // Roles belong to the whole server and templates to all workers: one at a time makes them.
    await admin.query("select pg_advisory_lock(3825)")
    await makeTemplate(admin, template, prepare)
    await admin.query("select pg_advisory_unlock(3825)")
    await admin.query(`create database ${name} template ${template} owner ${OWNER}`)
  })
  const opened = await openOnServer(name)
  return {
    ...opened,
    urls: { login: deployedUrl(name, LOGIN), owner: deployedUrl(name, OWNER) },
    async close() {
      await opened.database.close()
      await opened.owner.close()
      await asSuperuser("postgres", (admin) => admin.query(`drop database ${name} with (force)`))
    },
  }
}

/** Both faces of a database on the test server, through the driver that the environment names. */
async function openOnServer(name: string) {
  const driver = testServerDriver()
  if (driver === "neon") {
    const { hostname, port } = new URL(serverUrl())
    neonLocal ??= startNeonLocal(hostname, Number(port || 5432))
    await neonLocal
  }
  return openDatabase({
    url: urlOf(name, LOGIN),
    ownerUrl: urlOf(name, OWNER),
    home: "unused",
    driver,
    connectionsMax: 6,
  })
}

/** Where the emulator of Neon's edge answers, for another process: `host:port`. */
export async function neonEdge(): Promise<string> {
  const { hostname, port } = new URL(serverUrl())
  neonLocal ??= startNeonLocal(hostname, Number(port || 5432))
  return (await neonLocal).address
}

/** The same as a deploy would have it: Neon's driver is chosen by the host, in whose place the emulator stands. */
function deployedUrl(database: string, user: string): string {
  const url = new URL(urlOf(database, user))
  if (testServerDriver() === "neon") url.host = "ep-test-1.eu-central-1.aws.neon.tech"
  return url.href
}

/** The URL of a database on the test server for one of its roles. */
function urlOf(database: string, user: string): string {
  const url = new URL(serverUrl())
  url.pathname = `/${database}`
  url.username = user
  url.password = PASSWORD
  return url.href
}

/** Runs `work` as superuser, connected to `database` of the test server. */
export async function asSuperuser<T>(database: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const url = new URL(serverUrl())
  url.pathname = `/${database}`
  const client = new pg.Client({ connectionString: url.href })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

async function makeTemplate(admin: pg.Client, template: string, prepare: (owner: OwnerDatabase) => Promise<unknown>) {
  const { rowCount } = await admin.query("select from pg_database where datname = $1", [template])
  if (rowCount) return
  const { rowCount: owners } = await admin.query("select from pg_roles where rolname = $1", [OWNER])
  if (!owners) await admin.query(`create role ${OWNER} login createrole password '${PASSWORD}'`)
  // Built under another name: a run that dies here must not leave half a template behind.
  const unfinished = `${template}_unfinished`
  await admin.query(`drop database if exists ${unfinished} with (force)`)
  await admin.query(`create database ${unfinished} owner ${OWNER}`)
  // pgvector is not a trusted extension everywhere: where it is not, a superuser creates it once (docs/operations.md).
  await asSuperuser(unfinished, (client) => client.query("create extension vector"))
  const opened = await openOnServer(unfinished)
  await prepare(opened.owner)
  await opened.database.close()
  await opened.owner.close()
  const { rowCount: logins } = await admin.query("select from pg_roles where rolname = $1", [LOGIN])
  if (logins) await admin.query(`alter role ${LOGIN} password '${PASSWORD}'`)
  await admin.query(`alter database ${unfinished} rename to ${template}`)
}

function serverUrl(): string {
  const url = testServerUrl()
  if (!url)
    throw new Error("CONCORDANCE_TEST_DATABASE_URL names no server; `.ci/postgres` starts one and prints its URL")
  return url
}
