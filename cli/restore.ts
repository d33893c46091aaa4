import { AppError } from "../lib/errors.ts"
import type { Terminal } from "./terminal.ts"
import { progressOf, withStores } from "./with-stores.ts"

/** Restores an export; each of `names` is a tenant's name in it, or `old=new`. */
export async function restoreFolder(
  folder: string,
  { names, replace }: { readonly names: readonly string[]; readonly replace: boolean },
  terminal: Terminal,
): Promise<void> {
  const { restoreExport } = await import("../lib/care/restore-export.ts")
  const { createCleanUp } = await import("../lib/documents/ingest/clean-up.ts")
  const progress = progressOf(terminal)
  const began = performance.now()
  const told = await withStores(terminal, (stores) =>
    restoreExport({ ...stores, cleanUp: createCleanUp(stores) }, folder, {
      tenants: names.length > 0 ? new Map(names.map(tenantPair)) : undefined,
      replace,
      onProgress: progress.onProgress,
      signal: terminal.signal,
    }),
  ).finally(progress.end)
  const seconds = ((performance.now() - began) / 1_000).toFixed(1)
  terminal.line(
    `Restored ${told.tenants} tenants: ${told.documents} documents (${told.replaced} replaced), ${told.chunks} chunks, ${told.embeddings} vectors, ${told.objects} objects in ${seconds} s.`,
  )
  if (told.objectsMissing > 0) {
    terminal.note(`${told.objectsMissing} objects are neither in the export nor in the store: see concordance verify.`)
  }
  terminal.note("API keys are not part of an export: make new ones with keys create.")
}

/** A name with `=` in it can't be told from two. */
function tenantPair(name: string): [string, string] {
  const [from = "", to = from, ...rest] = name.split("=")
  if (from !== "" && to !== "" && rest.length === 0) return [from, to]
  throw new AppError("invalid_request", "--tenant: must be a tenant of the export, or old=new")
}
