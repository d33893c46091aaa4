import { build } from "vite"

/** Once for a run: what serves the reading room has one to serve, in a fresh clone too. */
export async function setup() {
  await build({ configFile: "web/vite.config.ts", logLevel: "error" })
}
