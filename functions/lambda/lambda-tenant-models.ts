import type { Config } from "../../lib/config.ts"
import type { Database } from "../../lib/database/database.ts"
import { settingsOf } from "../../lib/inference/model-opening.ts"
import { openRemoteModels, serviceAt } from "../../lib/inference/open-remote.ts"
import type { TenantModels } from "../../lib/inference/tenant-models.ts"
import type { Log } from "../../lib/log.ts"
import { openTenantModels } from "../../lib/runtime/open-tenant-models.ts"

/** Models that tenants have beside the settings', where no model runs in the process: those behind a URL can be opened. */
export function lambdaTenantModels(config: Config, database: Database, log: Log): TenantModels {
  const { models } = openTenantModels({
    database,
    log,
    open: (opening) => {
      const settings = settingsOf(opening, { ...config, home: config.concordanceHome })
      const { embedServiceUrl: url } = settings
      return openRemoteModels(settings, url === undefined ? null : serviceAt(url, settings.embedServiceApiKey))
    },
  })
  return models
}
