import type { Served } from "../served.ts"
import { send } from "./answers.ts"
import { MARK, nobodys } from "./marks.ts"
import type { OpenApiDocument } from "./openapi-document.ts"
import type { Said } from "./said.ts"

/** A cursor of the other tenant's list, and one of nobody's list that goes on at the same place. */
export function cursorsSaid(cursor: string | undefined): readonly Said[] {
  const other = cursor ?? Buffer.from(JSON.stringify({ after: "c0001", of: "AAAAAAAAAAAAAAAA" })).toString("base64url")
  return [{ value: other, twin: ofNobody(other) }]
}

function ofNobody(cursor: string): string {
  const { after, of } = JSON.parse(Buffer.from(cursor, "base64url").toString()) as { after: unknown; of: string }
  const place = typeof after === "string" ? nobodys(after) : after
  return Buffer.from(JSON.stringify({ after: place, of: [...of].reverse().join("") })).toString("base64url")
}

/** The cursors that the owner is given by each list of the contract, by its path. */
export async function cursorsOf(
  served: Served,
  { operations }: OpenApiDocument,
  key: string,
): Promise<ReadonlyMap<string, string>> {
  const cursors = new Map<string, string>()
  const ids: Record<string, string> = { entities: `person:${MARK}name-keeper`, documents: `${MARK}doc-one` }
  const note = (path: string, body: string) => {
    const { next_cursor } = JSON.parse(body) as { next_cursor?: string }
    if (next_cursor === undefined) throw new Error(`The owner's list ${path} has no second page to ask for`)
    cursors.set(path, next_cursor)
  }
  for (const { method, path, queryNames } of operations) {
    if (method !== "GET" || !queryNames.includes("cursor")) continue
    // Of a document with pages.
    const id = path.endsWith("/pages") ? `${MARK}doc-pdf` : (ids[path.split("/")[1] ?? ""] ?? "")
    note(
      path,
      (await send(served, { method, path: `${path.replace("{id}", encodeURIComponent(id))}?limit=1` }, key)).body,
    )
  }
  const search = JSON.stringify({ query: "secret of the harbour", top_k: 1 })
  const headers = { "content-type": "application/json" }
  note("/search", (await send(served, { method: "POST", path: "/search", headers, body: () => search }, key)).body)
  return cursors
}
