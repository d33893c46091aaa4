import { chromium } from "playwright-core"
import type { TestProject } from "vitest/node"
import { openPort } from "../functions/open-port.ts"
import { createServerApp } from "../functions/server-app.ts"
import { createLog } from "../lib/log.ts"
import { loadSamples } from "../lib/runtime/load-samples.ts"
import { serve } from "./served.ts"
import type { Provided } from "./web/provided.ts"

/** Once for the whole suite: the product with its samples on two ports, and a browser. */
export async function setup(project: TestProject) {
  const served = await serve({ isMigrated: true })
  const { runtime, config } = served
  const log = createLog({ level: "error", write: (line) => process.stderr.write(line) })
  const place = { host: "127.0.0.1", port: 0 }
  const open = await openPort(createServerApp(runtime, { config, policy: "loopback", log }), place)
  const keyed = await openPort(createServerApp(runtime, { config, policy: "keys", log }), place)
  const { key } = await runtime.keys.create({ name: "visitor" })
  await loadSamples(runtime)
  await runtime.ingest.idle()
  const browser = await launchBrowser()
  const provided: Provided = { origin: open.url, keyedOrigin: keyed.url, key, browser: browser.wsEndpoint() }
  for (const [name, value] of Object.entries(provided)) project.provide(name as keyof Provided, value)
  return async () => {
    await browser.close()
    await Promise.all([open.close(), keyed.close()])
    await served.close()
  }
}

/** Debian's: nothing is downloaded. */
function launchBrowser() {
  // Root has no sandbox, and containers have 64 MB of shared memory.
  const args = ["--no-sandbox", "--disable-dev-shm-usage"]
  return chromium.launchServer({ executablePath: "/usr/bin/chromium", args })
}
