import pg from "pg"

/** A new database on the server while the work lasts; one of an earlier run that was killed is dropped before. */
export async function withDatabase<T>(serverUrl: string, name: string, work: (url: string) => Promise<T>): Promise<T> {
  const onServer = async (...statements: readonly string[]) => {
    const client = new pg.Client(serverUrl)
    await client.connect()
    try {
      for (const statement of statements) await client.query(statement)
    } finally {
      await client.end()
    }
  }
  const drop = `drop database if exists ${name} with (force)`
  await onServer(drop, `create database ${name}`)
  try {
    return await work(Object.assign(new URL(serverUrl), { pathname: `/${name}` }).href)
  } finally {
    await onServer(drop)
  }
}
