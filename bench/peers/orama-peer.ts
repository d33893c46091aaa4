import type { Peer } from "./peer.ts"

/** What is used of `@orama/orama`. */
interface Orama {
  create(options: object): unknown
  insertMultiple(database: unknown, documents: readonly object[], batchSize?: number): Promise<unknown>
  search(
    database: unknown,
    query: object,
  ): Promise<{ readonly hits: readonly { readonly document: { readonly document: string } }[] }>
}

const PACKAGE = "@orama/orama"

/** Orama's hybrid mode: BM25 with stemming and vectors, half and half. */
export const orama: Peer = {
  ways: ["hybrid"],
  kind: "in memory",
  async open({ dimensions }) {
    const { create, insertMultiple, search } = (await import(PACKAGE)) as Orama
    const database = create({
      schema: { document: "enum", title: "string", text: "string", vector: `vector[${dimensions}]` },
      components: { tokenizer: { language: "english", stemming: true } },
    })
    return {
      async index(rows) {
        const documents = rows.map(({ document, title, text, vector }) => ({
          document,
          title,
          text,
          vector: [...vector],
        }))
        await insertMultiple(database, documents, documents.length)
      },
      ready: () => Promise.resolve(),
      async search({ text, vector }, _way, depth) {
        const { hits } = await search(database, {
          mode: "hybrid",
          term: text,
          properties: ["title", "text"],
          vector: { value: [...vector], property: "vector" },
          // Its default, .8, is above what MiniLM gives most passages that answer.
          similarity: 0,
          limit: depth,
        })
        return hits.map(({ document }) => document.document)
      },
      diskBytes: () => Promise.resolve(0),
      close: () => Promise.resolve(),
    }
  },
}
