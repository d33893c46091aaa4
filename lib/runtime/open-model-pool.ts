import { AppError } from "../errors.ts"
import { createCachedEmbedder } from "../inference/cached-embedder.ts"
import type { Embedder } from "../inference/inference.ts"
import type { ModelOpening } from "../inference/model-opening.ts"
import type { Log } from "../log.ts"

/** Opens a model; `close` frees it. Throws as `openInference` does. */
export type OpenModel = (
  opening: ModelOpening,
) => Promise<{ readonly embedder: Embedder | null; close?(): Promise<void> }>

/** The tenant's model: its name, which is its space's, and how to open it. */
export interface NamedModel {
  readonly model: string
  readonly opening: ModelOpening
}

/** A model of the pool. */
export interface PooledModel {
  /** Null while it is being opened, and where that failed. */
  readonly ready: { readonly bare: Embedder; readonly cached: Embedder } | null
  readonly failure: AppError | null
  /** Settles with the opening; rejects with `failure`. */
  readonly opened: Promise<{ readonly bare: Embedder; readonly cached: Embedder }>
}

/** Models beside the one that the settings name, each opened by its first use. */
export interface ModelPool {
  /** Begins to open it where it isn't open; what failed is tried again after half a minute. */
  get(named: NamedModel): PooledModel
  /** Names of those that couldn't be opened. */
  failed(): readonly string[]
  close(): Promise<void>
}

/** A model that nobody asked for so long is closed: it takes 0.1 to 2 GB. ms. */
const IDLE_MS = 600_000
const RETRY_MS = 30_000

interface Slot {
  model: string
  ready: PooledModel["ready"]
  failure: AppError | null
  opened: PooledModel["opened"]
  close: () => Promise<void>
  usedAt: number
  failedAt: number
}

/** `now` is the clock, ms. */
export function createModelPool(open: OpenModel, log: Log, now: () => number = () => performance.now()): ModelPool {
  const slots = new Map<string, Slot>()

  function begin({ model, opening }: NamedModel): Slot {
    const began = now()
    const opened = openChecked(open, model, opening)
    const slot: Slot = {
      ...{ model, ready: null, failure: null, usedAt: began, failedAt: 0 },
      opened: opened.then(({ ready }) => ready),
      close: async () => (await opened.catch(() => null))?.close?.(),
    }
    opened.then(
      ({ ready }) => {
        slot.ready = ready
        log.info("a tenant's model is open", { model, ms: Math.round(now() - began) })
      },
      (error: unknown) => {
        slot.failure = asAppError(error, model)
        slot.failedAt = now()
        log.error("a tenant's model can't be opened here: its searches go by words alone, and nothing is indexed", {
          model,
          error: slot.failure,
          set: "what the error names; where its service asks for a key, SPACES_API_KEY",
        })
      },
    )
    return slot
  }

  function closeIdle(): void {
    for (const [key, slot] of slots) {
      if (now() - slot.usedAt < IDLE_MS) continue
      slots.delete(key)
      slot.close().catch((error: unknown) => log.warn("a model could not be closed", { model: slot.model, error }))
    }
  }

  return {
    get(named) {
      closeIdle()
      const key = JSON.stringify([named.model, named.opening])
      let slot = slots.get(key)
      if (!slot || (slot.failure && now() - slot.failedAt > RETRY_MS)) {
        slot = begin(named)
        slots.set(key, slot)
      }
      slot.usedAt = now()
      return slot
    },
    failed: () => [...slots.values()].flatMap(({ model, failure }) => (failure ? [model] : [])),
    async close() {
      const closing = [...slots.values()].map((slot) => slot.close())
      slots.clear()
      await Promise.all(closing)
    },
  }
}

/** Opens a model and runs it once, so that nobody's search waits for its weights. */
async function openChecked(open: OpenModel, model: string, opening: ModelOpening) {
  const { embedder, close } = await open(opening)
  try {
    if (embedder?.model !== model) {
      const message = `This process has no way to open the model ${model}: it runs no models of its own, or its service has another`
      throw new AppError("inference_unavailable", message)
    }
    await embedder.embed(["warm"], "query")
    return { ready: { bare: embedder, cached: createCachedEmbedder(embedder) }, close }
  } catch (error) {
    await close?.()
    throw error
  }
}

function asAppError(error: unknown, model: string): AppError {
  return error instanceof AppError
    ? error
    : new AppError("inference_unavailable", `The model ${model} can't be opened here.`, { cause: error })
}
