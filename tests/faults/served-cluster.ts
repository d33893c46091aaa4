import { openCluster, type PrivateCluster } from "./private-cluster.ts"
import { makeHome, removeFolder, type ServerProcess, startServer, WITHOUT_MODELS } from "./server-process.ts"

/** A server process over a PostgreSQL of its own, which may be killed or hung beneath it. */
export interface ServedCluster {
  readonly cluster: PrivateCluster
  readonly server: ServerProcess
  readonly home: string
  close(): Promise<void>
}

/** Without models, and without keys. */
export async function serveCluster(settings: Readonly<Record<string, string>>): Promise<ServedCluster> {
  const cluster = await openCluster()
  const home = await makeHome(undefined, { isMigrated: false })
  const remove = async () => {
    await cluster.remove()
    await removeFolder(home)
  }
  const environment = { CONCORDANCE_HOME: home, DATABASE_URL: cluster.url, CONCORDANCE_SERVE_WITHOUT_KEYS: "true" }
  const server = await startServer({ ...WITHOUT_MODELS, ...environment, ...settings }).catch(async (error: unknown) => {
    await remove()
    throw error
  })
  return {
    ...{ cluster, server, home },
    async close() {
      await server.kill()
      await remove()
    },
  }
}
