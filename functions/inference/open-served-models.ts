import type { Config } from "../../lib/config.ts"
import { type Inference, openInference } from "../../lib/inference/open-inference.ts"
import type { Log } from "../../lib/log.ts"

/** The models of the settings, each run once; a reranker of its own is left for the first rerank where `rerankerOnUse`. */
export async function openServedModels(
  config: Config,
  log: Log,
  options: { readonly rerankerOnUse: boolean },
): Promise<Inference> {
  const inference = await openInference({ ...config, home: config.concordanceHome }, options)
  for (const { role, model, tookMs, failure } of await inference.warm()) {
    if (failure)
      log.error("model failed its first run; it is tried again when it is used", { role, model, error: failure })
    else log.info("model ready", { role, model, ms: tookMs })
  }
  return inference
}
