import { expect, test } from "vitest"
import { createMemoryObjects } from "../../../tests/memory-objects.ts"
import type { Database } from "../../database/database.ts"
import { uploadsPrefix } from "../../objects/object-key.ts"
import { DocumentId, TenantId } from "../../shapes.ts"
import type { Documents } from "../documents.ts"
import { ownerOf } from "./bucket-notification.ts"
import { createReceive } from "./receive.ts"

/** A reception whose database keeps the announced keys and answers nothing. */
function reception(isReadByEvents = false) {
  const announced = new Map<string, string>()
  const database = {
    async batch(_scope: unknown, [announce]: readonly { text: string; values?: readonly unknown[] }[]) {
      const [, key, id] = announce?.values ?? []
      announced.set(String(key), String(id))
      return []
    },
  } as unknown as Database
  const settings = { documentBytesMax: 1_000 }
  const documents = {} as Documents
  const parts = { database, objects: createMemoryObjects(), documents, settings, cleanUp: async () => {} }
  return { announced, receive: createReceive({ ...parts, isReadByEvents }) }
}

const REQUEST = { fileName: "relat\u00f3rio.pdf", options: { metadata: {}, flat: false } }

/** What stands for itself in a key, what is escaped there, and what looks like an escape, a digest or a device. */
const PIECES = ["a", "z9", "-", ".", "_", "__", "_41", "A", "/", "%2e", "é", "e\u0301", "の", "📄", " ", "con", "nul."]
const DIGEST = `x__${"0a".repeat(32)}`

/** Texts of up to `piecesMax` pieces, the same each time (a linear congruential generator: Numerical Recipes). */
function texts(count: number, piecesMax: number, isValid: (text: string) => boolean): string[] {
  let state = 1
  const next = (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
  const made = Array.from({ length: count }, () => {
    const plain = next(3) === 0
    return Array.from({ length: 1 + next(piecesMax) }, () => (plain ? "ab" : (PIECES[next(PIECES.length)] ?? ""))).join(
      "",
    )
  })
  return [...made, DIGEST].filter(isValid)
}

const TENANTS = texts(400, 64, (text) => TenantId.safeParse(text).success)
const DOCUMENTS = texts(400, 500, (text) => DocumentId.safeParse(text).success)

test("every key that is given out is read back as the same tenant's and document's, or its tenant is refused", async () => {
  const { announced, receive } = reception()
  const seen = { refused: 0, told: 0, known: 0 }
  for (const [i, tenant] of TENANTS.entries()) {
    const id = i % 5 === 0 ? undefined : DOCUMENTS[i % DOCUMENTS.length]
    const isTooLong = /__[0-9a-f]{64}\/d\/$/.test(uploadsPrefix(tenant, "d"))
    const made = await receive.presign(tenant, { ...REQUEST, id }, "application/pdf").catch((error: unknown) => error)
    if (isTooLong) {
      expect(made).toMatchObject({ code: "invalid_request", fields: [{ field: "source_account_id" }] })
      seen.refused++
      continue
    }
    const presigned = made as { readonly id: string; readonly upload: { readonly url: string } }
    const key = new URL(presigned.upload.url).pathname.slice(1)
    expect(key.length).toBeLessThanOrEqual(1_024)
    const owner = ownerOf(key)
    expect(owner?.tenant).toBe(tenant)
    // One too long for its key is known by the row of the key, as it was announced.
    expect(owner?.documentId ?? announced.get(key)).toBe(presigned.id)
    if (owner?.documentId == null) seen.known++
    else seen.told++
  }
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(20)
})

test("a tenant of 128 plain characters may upload; the answer to one that may not names the field and the limit", async () => {
  const { receive } = reception()
  expect(await receive.presign("a-9.".repeat(31).concat("abcd"), REQUEST, "application/pdf")).not.toBeNull()
  const refused = { code: "invalid_request", message: expect.stringMatching(/source_account_id: .*200 characters/) }
  await expect(receive.presign("A".repeat(67), REQUEST, "application/pdf")).rejects.toMatchObject(refused)
  expect(await receive.presign("A".repeat(66), REQUEST, "application/pdf")).not.toBeNull()
})

test("a form is refused alike where its file waits for the bucket's event, before anything is stored", async () => {
  const { announced, receive } = reception(true)
  const file = { path: "/nowhere", bytes: 1, sha256: "0a".repeat(32) }
  const refused = { code: "invalid_request", fields: [{ field: "source_account_id" }] }
  await expect(receive.add("A".repeat(67), REQUEST, file)).rejects.toMatchObject(refused)
  expect(announced.size).toBe(0)
})
