import { join } from "node:path"
import { migrate } from "../lib/database/migrate.ts"
import { openServerOwner } from "../lib/database/open-server.ts"
import { setLoginPassword } from "../lib/database/set-login-password.ts"
import { createKeyRing } from "../lib/keys/key-ring.ts"
import { taskRoot } from "./environment.ts"
import { lambdaConfig, lambdaLog, requireDatabaseUrl } from "./lambda/opening.ts"
import { seedApiKey } from "./lambda/resources.ts"

/**
 * Once a deploy, before the new code serves: brings the schema up to date, gives `concordance_login` the password that
 * the other functions log in with, and stores the first API key. What it throws ends the deploy; the old code goes on.
 */
export async function handler(): Promise<{ readonly applied: readonly string[] }> {
  const config = lambdaConfig()
  const log = lambdaLog(config)
  const url = requireDatabaseUrl(config)
  const owner = await openServerOwner({ url: config.migrationDatabaseUrl ?? url })
  try {
    const applied = await migrate(owner, join(taskRoot(), "migrations"))
    await setLoginPassword(owner, decodeURIComponent(new URL(url).password))
    const key = seedApiKey()
    const isNew = key ? await createKeyRing(owner).seed(key, "made by the deploy") : false
    log.info("database ready", { applied, firstKey: isNew })
    return { applied }
  } finally {
    await owner.close()
  }
}
