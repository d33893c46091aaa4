import type { Config } from "../config.ts"
import type { Enricher } from "../documents/enrichment/enrichment-session.ts"
import { openLlm } from "../llm/open-llm.ts"

/** A language model may be there for answers alone: documents are sent to it only where the settings say so. */
export function openEnricher(config: Config): Enricher | null {
  const llm = config.enrichDocuments ? openLlm(config) : null
  return llm && { llm, tokensMax: config.enrichTokensMax }
}
