/** How a family of models wants to be used, as its cards on Hugging Face say. */
export interface EmbeddingFamily {
  /** `first`: the vector of the first token; `mean`: the mean over all tokens. */
  readonly pooling: "first" | "mean"
  readonly queryPrefix: string
  readonly passagePrefix: string
}

/** Names of models trained on English alone, by their cards. */
const ENGLISH_ONLY =
  /all-MiniLM|all-mpnet|multi-qa-|bge-(small|base|large)-en|nomic-embed-text-v1\b|mxbai-embed-large|snowflake-arctic-embed-(xs|s|m|l)\b(?!-v2)|gte-(small|base|large)(-en|$)|e5-(small|base|large)-v2/i

const BGE_EN_QUERY = "Represent this sentence for searching relevant passages: "

/** By what the model's name holds, the first that fits. */
const FAMILIES: readonly (readonly [RegExp, EmbeddingFamily])[] = [
  [/bge-m3/i, { pooling: "first", queryPrefix: "", passagePrefix: "" }],
  [/bge-(small|base|large)-en/i, { pooling: "first", queryPrefix: BGE_EN_QUERY, passagePrefix: "" }],
  [/bge-/i, { pooling: "first", queryPrefix: "", passagePrefix: "" }],
  [
    /mxbai-embed|snowflake-arctic-embed-(xs|s|m|l)\b/i,
    { pooling: "first", queryPrefix: BGE_EN_QUERY, passagePrefix: "" },
  ],
  [/snowflake-arctic-embed/i, { pooling: "first", queryPrefix: "query: ", passagePrefix: "" }],
  [/(^|[/-])e5-/i, { pooling: "mean", queryPrefix: "query: ", passagePrefix: "passage: " }],
  [/nomic-embed/i, { pooling: "mean", queryPrefix: "search_query: ", passagePrefix: "search_document: " }],
  [/gte-.*-v1\.5|gte-multilingual/i, { pooling: "first", queryPrefix: "", passagePrefix: "" }],
]

/** How the model of this name pools and prefixes; the mean without prefixes when the name tells nothing. */
export function embeddingFamily(model: string): EmbeddingFamily {
  const known = FAMILIES.find(([name]) => name.test(model))
  return known ? known[1] : { pooling: "mean", queryPrefix: "", passagePrefix: "" }
}

/** Whether a model understands a language (`pt-BR` as `pt`); one whose languages nobody knows may. */
export function understands({ languages }: { readonly languages?: readonly string[] }, language: string): boolean {
  return languages?.includes(language.split("-")[0] ?? language) ?? true
}

/** The only languages that the model of this name understands; null where it has many, or the name doesn't tell. */
export function embeddingLanguages(model: string): readonly string[] | null {
  return ENGLISH_ONLY.test(model) && !/multilingual/i.test(model) ? ["en"] : null
}
