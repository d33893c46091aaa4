import { readdir, stat } from "node:fs/promises"
import { join } from "node:path"
import pg from "pg"

/** Bytes of all files below a folder. */
export async function folderBytes(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  const sizes = await Promise.all(files.map((file) => stat(join(file.parentPath, file.name)).then(({ size }) => size)))
  return sizes.reduce((sum, size) => sum + size, 0)
}

/** Bytes of a PostgreSQL database, catalogs (8 MB) included. */
export async function diskOf(url: string): Promise<number> {
  const client = new pg.Client(url)
  await client.connect()
  const { rows } = await client.query<{ bytes: string }>("select pg_database_size(current_database()) as bytes")
  await client.end()
  return Number(rows[0]?.bytes ?? 0)
}
