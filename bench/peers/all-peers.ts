import type { Peer } from "./peer.ts"

/** Every peer by name; the file of each is loaded when it is asked for. */
export const PEERS: Readonly<Record<string, () => Promise<Peer>>> = {
  "concordance-pglite": async () => (await import("./concordance-peer.ts")).concordanceOnPglite,
  "concordance-postgres": async () => (await import("./concordance-peer.ts")).concordanceOnPostgres,
  lancedb: async () => (await import("./lancedb-peer.ts")).lancedb,
  chroma: async () => (await import("./chroma-peer.ts")).chroma,
  langchain: async () => (await import("./langchain-peer.ts")).langchain,
  "textbook-sql": async () => (await import("./textbook-sql-peer.ts")).textbookSql,
  orama: async () => (await import("./orama-peer.ts")).orama,
  minisearch: async () => (await import("./minisearch-peer.ts")).minisearch,
}
