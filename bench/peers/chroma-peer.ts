import { fileURLToPath } from "node:url"
import { startChroma } from "../../lib/indexes/chroma/start-chroma.ts"
import { folderBytes } from "./disk.ts"
import type { Peer } from "./peer.ts"

/** The server that `npm run chroma:install` put under `.chroma/`. */
const CLI = fileURLToPath(new URL("../../tests/indexes/chroma-cli.cjs", import.meta.url))
const DATABASE = "api/v2/tenants/default_tenant/databases/default_database"
/** Most records of one request to Chroma 1.0. */
const RECORDS_MAX = 5_000

/**
 * A Chroma server, asked as its client asks. Of words it knows only whether a text contains them: it ranks by meaning
 * alone, always by its HNSW.
 */
export const chroma: Peer = {
  ways: ["dense"],
  kind: "server",
  async open({ folder }) {
    const { url, stop } = await startChroma(folder, [process.execPath, CLI])
    const ask = async <T>(path: string, body: object): Promise<T> => {
      const response = await fetch(`${url}/${DATABASE}/${path}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      })
      if (!response.ok) throw new Error(`Chroma answered ${response.status} to ${path}: ${await response.text()}`)
      return (await response.json()) as T
    }
    const { id } = await ask<{ id: string }>("collections", {
      name: "passages",
      configuration: { hnsw: { space: "cosine" } },
    })
    return {
      async index(rows) {
        for (let start = 0; start < rows.length; start += RECORDS_MAX) {
          const part = rows.slice(start, start + RECORDS_MAX)
          await ask(`collections/${id}/add`, {
            ids: part.map((row) => row.id),
            embeddings: part.map(({ vector }) => [...vector]),
            documents: part.map(({ title, text }) => `${title}\n${text}`),
            metadatas: part.map(({ document }) => ({ document })),
          })
        }
      },
      ready: () => Promise.resolve(),
      async search({ vector }, _way, depth) {
        const body = { query_embeddings: [[...vector]], n_results: depth, include: ["metadatas", "documents"] }
        const found = await ask<{ metadatas: { document: string }[][] }>(`collections/${id}/query`, body)
        return (found.metadatas[0] ?? []).map(({ document }) => document)
      },
      diskBytes: () => folderBytes(folder),
      close: stop,
    }
  },
}
