import type { Config } from "../../lib/config.ts"
import { AppError } from "../../lib/errors.ts"
import { createLog, type Log } from "../../lib/log.ts"
import { configFromEnvironment } from "../environment.ts"
import { linkedSettings } from "./resources.ts"

/**
 * The settings of this function: those of its environment, and what is linked to it. Throws `invalid_configuration`, also where
 * Chroma is to run on a folder: a Lambda has none that lasts, and no Python to start it with.
 */
export function lambdaConfig(): Config {
  const config = configFromEnvironment(linkedSettings())
  if (config.vectordbProvider !== "chroma" || config.chromaUrl !== undefined) return config
  throw new AppError(
    "invalid_configuration",
    "CHROMA_URL must be set where VECTORDB_PROVIDER is chroma: a Lambda keeps no folder, so CHROMA_PERSIST_DIR can't be used",
  )
}

/** One JSON object a line; Lambda takes what is written to stdout. */
export function lambdaLog({ logLevel }: Pick<Config, "logLevel">): Log {
  return createLog({ level: logLevel, write: (line) => process.stdout.write(line) })
}

/** Throws `invalid_configuration` where no database is linked: a Lambda has no disk to keep one on. */
export function requireDatabaseUrl({ databaseUrl }: Config): string {
  if (databaseUrl !== undefined) return databaseUrl
  throw new AppError("invalid_configuration", "DATABASE_URL is unset, and no Database is linked to this function")
}
