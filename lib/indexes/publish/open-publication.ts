import type { Database } from "../../database/database.ts"
import { withDeadline } from "../../deadline.ts"
import { AppError } from "../../errors.ts"
import type { CollectionSetting } from "../collection.ts"
import { FIELD_KEYS, type FieldSettings } from "../field-mapping.ts"
import type { ForeignSettings } from "../open-foreign-search.ts"
import type { OpenedEngine } from "../open-index.ts"
import { readTenancy, requirePartitions, viewOf } from "../tenancy.ts"
import { createPublish, type PassageModel, type Publish, type PublishedCollection } from "./create-publication.ts"
import { type InTime, openWritable } from "./writable-collection.ts"

/** An engine's collections, looked at and ready to be written for one tenant. */
export interface Publication {
  /** For people: where passages go. */
  readonly name: string
  readonly publish: Publish
  close(): Promise<void>
}

interface OpenPublicationOptions {
  readonly settings: ForeignSettings
  /** Closed with the publication, and where it can't be opened. */
  readonly engine: OpenedEngine
  readonly database: Database
  readonly tenant: string
  readonly model: PassageModel
  /** Stops the work where it is. */
  readonly signal: AbortSignal
}

/** How long one request to the engine may take, ms. */
const CALL_TIMEOUT_MS = 60_000

/**
 * Opens the collections that the settings name for writing and checks them; nothing is written yet.
 *
 * @throws AppError as `openWritable`; `invalid_configuration` where settings don't go together; `forbidden` for a tenant that the
 *   index isn't for
 */
export async function openPublication(options: OpenPublicationOptions): Promise<Publication> {
  const { engine } = options
  try {
    return await openChecked(options)
  } catch (error) {
    await engine.close()
    throw error
  }
}

async function openChecked({
  settings,
  engine,
  database,
  tenant,
  model,
  signal,
}: OpenPublicationOptions): Promise<Publication> {
  requireOwnFields(settings)
  const { retrievalCollection, parentExpansionCollection } = settings
  const targetOf = (collection: string) => `${settings.vectordbProvider} ${engine.placeOf(collection)} ${collection}`
  const names: [string, CollectionSetting][] = [[retrievalCollection, "RETRIEVAL_COLLECTION"]]
  if (parentExpansionCollection !== null) {
    names.unshift([parentExpansionCollection, "PARENT_EXPANSION_COLLECTION"])
    if (targetOf(parentExpansionCollection) === targetOf(retrievalCollection))
      throw new AppError(
        "invalid_configuration",
        `RETRIEVAL_COLLECTION and PARENT_EXPANSION_COLLECTION are both ${retrievalCollection}: parents would be found as passages. Name two, or set the second to null.`,
      )
  }
  const tenancy = readTenancy(settings)
  const view = viewOf(tenancy, tenant)
  const inTime: InTime = (run) =>
    withDeadline(CALL_TIMEOUT_MS, signal, (ends) => run({ partition: view.partition, signal: ends }))
  const opened = names.map(([name, setting]) => ({ name, setting, index: engine.open(name) }))
  const collections: PublishedCollection[] = []
  for (const { name, setting, index } of opened) {
    requirePartitions(index, tenancy)
    const collection = await openWritable({ index, setting, model, view, inTime })
    collections.push({ collection, target: targetOf(name), searchable: setting === "RETRIEVAL_COLLECTION" })
  }
  return {
    name: opened.at(-1)?.index.name ?? "",
    publish: createPublish({ database, tenant, tenancy, model, collections, signal }),
    async close() {
      for (const { index } of opened) await index.close()
      await engine.close()
    },
  }
}

/** A search would look for what was written under other names. */
function requireOwnFields(settings: FieldSettings): void {
  for (const [field, key] of Object.entries(FIELD_KEYS)) {
    if (settings[field as keyof FieldSettings] === undefined) continue
    throw new AppError(
      "invalid_configuration",
      `${key} is set, and records are written with fields of names that are known without it. Unset it.`,
    )
  }
}
