import type { Passage } from "../lib/beir-collection.ts"
import { loadInBulk } from "./load-in-bulk.ts"
import { createPassageLoader, embedCorpus, type Load } from "./load-passages.ts"
import type { Subject } from "./open-subject.ts"
import { countChunks, forgetTenant } from "./tenants.ts"

/** From here a load without counts and the index on words, which are made at its end, is worth it. */
const BULK_CHUNKS_MIN = 100_000

/** Where a bench shows how far it is, and hears that it is to stop. */
export interface Shown {
  progress(label: string, total: number): { at(done: number): void; stop(): void }
  readonly signal: AbortSignal
}

/** Fills those of the tenants that don't hold their number of passages yet, from the corpus's recombined sentences. */
export async function loadTenants(
  subject: Subject,
  corpus: readonly Passage[],
  loads: readonly Load[],
  shown: Shown,
): Promise<void> {
  const held = await subject.owner.session(async (session) => {
    const counts: number[] = []
    for (const { tenant } of loads) counts.push(await countChunks(session, tenant))
    return counts
  })
  const missing = loads.filter(({ count }, index) => held[index] !== count)
  if (missing.length === 0) return
  const vectors = await withProgress(shown, "Embedding", corpus.length, (at) =>
    embedCorpus(subject.embedder, corpus, at),
  )
  const loadPassages = createPassageLoader(subject.indexWith, subject.embedder, corpus, vectors)
  for (const wanted of missing) {
    await forgetTenant(subject.owner, wanted.tenant)
    const load = () => withProgress(shown, "Loading", wanted.count, (at) => loadPassages(wanted, at))
    if (wanted.count < BULK_CHUNKS_MIN) await load()
    else await loadInBulk(subject.owner, wanted.tenant, load)
  }
}

/** Does the work, showing how far it is; Ctrl-C ends it at the next step. */
export async function withProgress<T>(
  { progress, signal }: Shown,
  label: string,
  total: number,
  work: (at: (done: number) => void) => Promise<T>,
): Promise<T> {
  const shown = progress(label, total)
  const at = (done: number) => {
    signal.throwIfAborted()
    shown.at(done)
  }
  return work(at).finally(() => shown.stop())
}
