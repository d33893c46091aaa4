import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { build } from "esbuild"
import { FUNCTION_BUNDLE } from "../bundle-function.ts"

/** Bundled functions in a folder, as `/var/task` has them. */
export interface BundledFunctions {
  /** What `startLambda` takes for one of them. */
  path(name: string): string
  /** Puts a module of the caller's beside them, and returns the same for it. */
  add(name: string, code: string): Promise<string>
  remove(): Promise<void>
}

/** Points Neon's driver, inside the bundle, at the emulator of Neon's edge: its host is otherwise made from the URL's. */
const NEON_LOCAL = `
import { neonConfig } from "@neondatabase/serverless"
const edge = process.env.NEON_LOCAL
if (edge) {
  neonConfig.fetchEndpoint = () => "http://" + edge + "/sql"
  neonConfig.wsProxy = () => edge + "/v2"
  neonConfig.useSecureWebSocket = false
  neonConfig.pipelineTLS = false
  neonConfig.pipelineConnect = false
}
`

/** Bundles `functions/{name}.ts` of each name as SST does, beside the packages that it installs or copies. */
export async function bundleFunctions(names: readonly string[]): Promise<BundledFunctions> {
  const folder = await mkdtemp(join(tmpdir(), "concordance-functions-"))
  const root = fileURLToPath(new URL("../..", import.meta.url))
  await symlink(join(root, "node_modules"), join(folder, "node_modules"))
  await writeFile(join(folder, "neon-local.mjs"), NEON_LOCAL)
  await build({
    ...FUNCTION_BUNDLE,
    entryPoints: names.map((name) => join(root, `functions/${name}.ts`)),
    outdir: join(folder, "functions"),
    outExtension: { ".js": ".mjs" },
    inject: [join(folder, "neon-local.mjs")],
    banner: {
      js: 'import{createRequire as __createRequire}from"node:module";const require=__createRequire(import.meta.url);',
    },
  })
  return {
    path: (name) => join(folder, `functions/${name}.handler`),
    async add(name, code) {
      await writeFile(join(folder, `functions/${name}.mjs`), code)
      return join(folder, `functions/${name}.handler`)
    },
    remove: () => rm(folder, { recursive: true }),
  }
}
