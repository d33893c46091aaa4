import { PDFDocument, rgb, StandardFonts } from "pdf-lib"
import type { Row } from "../../lib/database/database.ts"
import { deadlineIn } from "../../lib/deadline.ts"
import { IndexRequest } from "../../lib/documents/index-request.ts"
import { openTestDatabase, type TestDatabase } from "../database.ts"
import { testServerUrl } from "../postgres-server.ts"
import { type Served, serve } from "../served.ts"
import { MARK } from "./marks.ts"

/** Who tries to get in, and whose documents must stay unseen. The latter's name is a marker too. */
export const INTRUDER = "plain"
export const OWNER = `${MARK}tenant`

/** The whole product with two tenants that have the same kinds of everything, and some ids in common. */
export interface LeakWorld {
  readonly served: Served
  readonly keys: Readonly<Record<"intruder" | "owner" | "several" | "expired" | "revoked", string>>
  /** Runs a statement as the owner of the tables. */
  query(text: string): Promise<readonly Row[]>
  /** Runs one as the service does for the intruder: in its role, in the name of the tenant. */
  queryAsIntruder(text: string): Promise<readonly Row[]>
  close(): Promise<void>
}

/** On PGlite, or on a database of its own on the server that the tests are given. */
export async function openWorld(): Promise<LeakWorld> {
  let database: TestDatabase | undefined
  if (testServerUrl()) database = await openTestDatabase()
  const urls = database?.urls
  // Wrong keys are slowed by address: a test that sends many comes from many.
  const environment = {
    TRUSTED_PROXIES: "1",
    ...(urls && { DATABASE_URL: urls.login, MIGRATION_DATABASE_URL: urls.owner }),
  }
  const served = await serve({ policy: "keys", environment })
  const { runtime } = served
  const mint = async (tenants: string[], expiresAt?: Date) =>
    runtime.keys.create({ name: "leaks", tenants, ...(expiresAt && { expiresAt }) })
  const { key: owner } = await mint([OWNER])
  const { key: intruder } = await mint([INTRUDER])
  await loadTenant(served, { tenant: OWNER, key: owner, word: MARK })
  await runtime.importBundle(OWNER, "samples/bundles/andorinha-inquiry-1934")
  await loadTenant(served, { tenant: INTRUDER, key: intruder, word: INTRUDER })
  await runtime.ingest.idle()
  const revoked = await mint([OWNER])
  await runtime.keys.revoke(revoked.record.id)
  const soon = new Date(Date.now() + 1_000)
  const expired = await mint([OWNER], soon)
  const keys = {
    ...{ intruder, owner },
    several: (await mint([INTRUDER, "another"])).key,
    expired: expired.key,
    revoked: revoked.key,
  }
  await new Promise((resolve) => setTimeout(resolve, Math.max(0, soon.getTime() - Date.now()) + 50))
  return {
    served,
    keys,
    query: (text) => runtime.owner.session((session) => session.query(text)),
    async queryAsIntruder(text) {
      if (database) return (await database.database.batch({ tenant: INTRUDER }, [{ text }]))[0] ?? []
      return runtime.owner.session((session) =>
        session.transaction(async () => {
          await session.query(
            `select set_config('role', 'concordance_app', true), set_config('app.source_account_id', $1, true)`,
            [INTRUDER],
          )
          return session.query(text)
        }),
      )
    },
    async close() {
      await served.close()
      await database?.close()
    },
  }
}

/** Everything that a tenant can have, each name and text of it with the tenant's own word. */
async function loadTenant(
  served: Served,
  { tenant, key, word }: Record<"tenant" | "key" | "word", string>,
): Promise<void> {
  const chunk = (number: number) => ({
    content: `The ${word}secret number ${number} of the harbour, as ${word}name wrote it.`,
    metadata: { [`${word}key`]: `${word}value` },
    entities: [{ name: `${word}name Keeper`, kind: "person" }],
    anomalies: [{ kind: `${word}kind`, note: `${word}note ${number}` }],
    regions: [{ page: 1, x0: 0.1, y0: 0.1, x1: 0.5, y1: 0.2 }],
  })
  // Of what both have by the same id, the owner has more.
  const chunks = word === MARK ? [chunk(1), chunk(2), chunk(3)] : [chunk(1)]
  const metadata = { [`${word}key`]: `${word}value` }
  const documents = [
    { id: `${word}doc-one`, title: `${word}title`, chunks: [chunk(1), chunk(2), chunk(3)], metadata },
    { id: "same", title: `${word}title`, chunks, metadata },
  ].map((document) => IndexRequest.parse(document))
  for (const outcome of await served.runtime.indexDocuments(tenant, documents, deadlineIn(60_000))) {
    if ("failed" in outcome) throw outcome.failed
  }
  const upload = async (id: string, bytes: Uint8Array) => {
    const response = await served.send("POST", "/documents", formOf(id, `${word}file.pdf`, bytes), { "x-api-key": key })
    if (response.status !== 202) throw new Error(await response.text())
  }
  await upload(`${word}doc-pdf`, await pdfOf(word, 2))
  await upload("samepdf", await pdfOf(word, word === MARK ? 4 : 1))
  await upload(`${word}doc-failed`, Buffer.from(`%PDF-1.7 ${word} and nothing else`))
}

/** A form that brings a file. */
export function formOf(id: string, fileName: string, bytes: Uint8Array): FormData {
  const form = new FormData()
  form.set("id", id)
  form.set("file", new Blob([Uint8Array.from(bytes)]), fileName)
  return form
}

/** Pages with a paragraph and a ruled table each. */
export async function pdfOf(word: string, pages: number): Promise<Uint8Array> {
  const document = await PDFDocument.create({ updateMetadata: false })
  const font = await document.embedFont(StandardFonts.Helvetica)
  for (let number = 1; number <= pages; number++) {
    const page = document.addPage([400, 300])
    page.drawText(`The ${word}paper of page ${number} is about the harbour and its light.`, {
      x: 30,
      y: 260,
      size: 10,
      font,
    })
    for (let row = 0; row < 3; row++) {
      for (let column = 0; column < 3; column++) {
        page.drawText(`${word}${row}${column}`, { x: 35 + column * 110, y: 205 - row * 20, size: 9, font })
      }
    }
    const color = rgb(0, 0, 0)
    for (let row = 0; row <= 3; row++)
      page.drawLine({ start: { x: 30, y: 218 - row * 20 }, end: { x: 360, y: 218 - row * 20 }, color })
    for (let column = 0; column <= 3; column++) {
      page.drawLine({ start: { x: 30 + column * 110, y: 218 }, end: { x: 30 + column * 110, y: 158 }, color })
    }
  }
  return document.save()
}
