import { configFromEnvironment } from "../functions/environment.ts"
import { type OpenedDatabase, openDatabase } from "../lib/database/open-database.ts"
import { type Inference, openInference } from "../lib/inference/open-inference.ts"

/** The database that the environment names, as it is: not migrated. */
export async function openConfiguredDatabase(): Promise<OpenedDatabase> {
  const config = configFromEnvironment()
  return openDatabase({ url: config.databaseUrl, ownerUrl: config.migrationDatabaseUrl, home: config.concordanceHome })
}

/** The models that the environment names. */
export async function openConfiguredInference(): Promise<Inference> {
  const config = configFromEnvironment()
  return openInference({ ...config, home: config.concordanceHome })
}
