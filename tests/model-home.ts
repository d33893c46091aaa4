import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { buildModel } from "../lib/inference/convert/build-model.ts"

/** A `CONCORDANCE_HOME` whose models are built: the same one for all test files and runs, so that they are built once. */
export async function testModelHome(): Promise<string> {
  const home = join(dirname(fileURLToPath(import.meta.url)), "..", "node_modules", ".cache", "concordance")
  await buildModel(join(home, "models"))
  return home
}
