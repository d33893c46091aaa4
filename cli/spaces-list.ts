import type { VectorSpace } from "../lib/database/vector-index.ts"
import type { Terminal } from "./terminal.ts"
import { withOwner } from "./with-runtime.ts"

/** `spaces list`. */
export async function listSpaces(terminal: Terminal): Promise<void> {
  const { listVectorSpaces } = await import("../lib/database/vector-index.ts")
  const { listFilterFields } = await import("../lib/database/filter-fields.ts")
  const { spaces, fields } = await withOwner(async (owner) => ({
    spaces: await listVectorSpaces(owner),
    fields: await listFilterFields(owner),
  }))
  for (const space of spaces) terminal.line(describe(space))
  for (const { tenant, field, values } of fields) terminal.line(`${tenant}  indexed field ${field}  ${values} values`)
  if (spaces.length === 0) terminal.note("There are no vectors yet. Index a folder with: concordance index <folder>")
}

function describe({ tenant, model, dimensions, state, indexed, vectors, missing, bytes, indexBytes }: VectorSpace) {
  const scan = indexed ? `HNSW index of ${megabytes(indexBytes)}` : "exact scan"
  const facts = [tenant, model, `${vectors} vectors of ${dimensions}`, megabytes(bytes), state, scan]
  return [...facts, ...(missing === null ? [] : [filled(vectors, missing)])].join("  ")
}

function filled(vectors: number, missing: number): string {
  if (missing === 0) return "complete"
  return `${Math.floor((100 * vectors) / (vectors + missing))} % filled, ${missing} missing`
}

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`
