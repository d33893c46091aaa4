import { type Config, parseConfig } from "../lib/config.ts"

/** The settings of this process. The one file that reads `process.env`: everything else is handed its settings. */
export function configFromEnvironment(): Config {
  return parseConfig(process.env)
}
