import { createHash } from "node:crypto"
import type { CountUsage } from "../../count-usage.ts"
import type { Embedder } from "../../inference/inference.ts"
import { meterEmbedder } from "../../inference/meter-embedder.ts"
import type { ChunkVector, EmbeddedDocument } from "../embed-documents.ts"
import type { PreparedChunk, PreparedDocument } from "../prepare-document.ts"
import type { Drafts } from "./drafts.ts"
import type { HeldJob } from "./upload.ts"

/** Chunks embedded between two commits: what a killed worker loses, and what another document waits for, at the most. */
const CHUNKS_PER_COMMIT = 32

interface EmbedDraftsOptions {
  readonly signal: AbortSignal
  /** The job is no longer ours. */
  readonly onLost: () => void
  /** Hears what was read. */
  readonly count?: CountUsage | undefined
}

/**
 * Gives every chunk its vector: those that the job has made before come from their drafts, the others from the model,
 * batch by batch, each committed. Throws what the model throws, and the signal's reason.
 */
export async function embedDrafts(
  drafts: Drafts,
  model: Embedder | null,
  job: HeldJob,
  document: PreparedDocument,
  { signal, onLost, count }: EmbedDraftsOptions,
): Promise<EmbeddedDocument> {
  if (!model) return { document, vectors: new Map(), warnings: document.warnings }
  const embedder = meterEmbedder(model, job.tenant, { count })
  const texts = new Map<string, string>()
  for (const { text } of document.chunks) if (text !== null) texts.set(hashOf(text), text)
  const made = await drafts.textHashes(job, embedder.model)
  const pending = [...texts].filter(([textHash]) => !made.has(textHash))
  await drafts.noteVectors(job, { done: texts.size - pending.length, total: texts.size })
  for (let i = 0; i < pending.length; i += CHUNKS_PER_COMMIT) {
    const batch = pending.slice(i, i + CHUNKS_PER_COMMIT)
    const { vectors, truncated } = await embedder.embed(
      batch.map(([, text]) => text),
      "passage",
      { signal },
    )
    signal.throwIfAborted()
    const cut = new Set(truncated)
    const made = batch.flatMap(([textHash], at) => {
      const vector = vectors[at]
      return vector ? [{ textHash, vector, isTruncated: cut.has(at) }] : []
    })
    if (!(await drafts.saveVectors(job, embedder.model, made))) onLost()
    signal.throwIfAborted()
  }
  return withVectors(document, embedder.model, await drafts.vectors(job, embedder.model))
}

/** Always from the drafts, so that a job that was resumed publishes the very bytes that another would have. */
function withVectors(
  document: PreparedDocument,
  model: string,
  made: Awaited<ReturnType<Drafts["vectors"]>>,
): EmbeddedDocument {
  const byHash = new Map(made.map((draft) => [draft.textHash, draft]))
  const vectors = new Map<PreparedChunk, ChunkVector>()
  let truncated = 0
  for (const chunk of document.chunks) {
    const draft = chunk.text === null ? undefined : byHash.get(hashOf(chunk.text))
    if (!draft) continue
    vectors.set(chunk, { model, vector: draft.vector })
    if (draft.isTruncated) truncated++
  }
  const warnings =
    truncated === 0 ? [] : [`the model read ${truncated} of ${document.chunks.length} chunks only in part`]
  return { document, vectors, warnings: [...document.warnings, ...warnings] }
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("base64url")
}
