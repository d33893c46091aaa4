import { tenantPrefixes } from "../objects/object-key.ts"

/** Where one tenant's rows and objects go. */
export interface Moves {
  /** Its name here. */
  readonly tenant: string
  /** The tenant's folder in keys, as the export has it and as it is here. */
  readonly oldSegment: string
  readonly segment: string
  /** How much the generation of a document grows, because the id was in use here: its pictures have keys of their own. */
  readonly deltas: ReadonlyMap<string, number>
  /** All that come with contents. */
  readonly documentIds: readonly string[]
}

/** The tenant's folder in the keys of its objects. */
export function tenantSegment(tenant: string): string {
  return tenantPrefixes(tenant)[0]?.split("/")[1] ?? ""
}

/** The key of an object where it goes: what `restore-rows.ts` does to the keys in rows. */
export function movedKey(key: string, documentId: string, { oldSegment, segment, deltas }: Moves): string {
  const [kind = "", tenant, ...rest] = key.split("/")
  if (tenant !== oldSegment) return key
  if (kind === "pages") rest[1] = String(Number(rest[1]) + (deltas.get(documentId) ?? 0))
  return [kind, segment, ...rest].join("/")
}
