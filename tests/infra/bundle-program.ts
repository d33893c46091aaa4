import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join, relative } from "node:path"
import { pathToFileURL } from "node:url"
import type { Esbuild, PluginBuild } from "./esbuild.ts"
import type { Planted, Synthesis, SynthesisRequest } from "./synthesis.ts"

interface BundleProgramOptions {
  readonly root: string
  readonly platform: string
  /** Folder for what SST's components zip. */
  readonly work: string
  readonly request: SynthesisRequest
}

interface Provider {
  readonly name: string
  readonly package: string
  readonly alias: string
}

/** Bundles sst.config.ts and infra/ as SST's Go program does: with its globals, and `$app` as `app()` decides it. */
export async function bundleProgram({ root, platform, work, request }: BundleProgramOptions) {
  const esbuild = createRequire(join(platform, "package.json"))("esbuild") as Esbuild
  const providers = JSON.parse(readFileSync(join(root, ".sst/provider-lock.json"), "utf8")) as Provider[]
  const globals = [
    ...providers.map(({ alias, package: name }) => `import * as ${alias} from "${name}";`),
    `import * as sst from "${platform}/src/components";`,
  ].join("\n")
  const file = join(platform, `synthesis.${process.pid}.mjs`)
  const bundle = (contents: string, define: Record<string, string>, more: object) =>
    esbuild.build({
      stdin: { contents, resolveDir: root, sourcefile: "eval.ts", loader: "ts" },
      bundle: true,
      format: "esm",
      platform: "node",
      mainFields: ["module", "main"],
      outfile: file,
      nodePaths: [join(platform, "node_modules")],
      logLevel: "error",
      banner: { js: BANNER },
      define,
      ...more,
    })

  const place = { home: "/tmp", root, work, platform }
  const defineApp = (app: object) => ({
    $app: JSON.stringify({ ...app, stage: request.stage }),
    $cli: JSON.stringify({ command: "deploy", dev: false, paths: place, state: { version: {} } }),
    $dev: "false",
  })
  // `app()` first, which stands on nothing: what it decides is known to the rest as `$app`.
  const alone = 'import config from "./sst.config.ts"; export { config }'
  await bundle(alone, {}, { external: ["./infra/*"], banner: { js: "const $config = (config) => config;" } })
  const { config } = (await import(`${pathToFileURL(file).href}?app`)) as {
    config: { app(input: object): AppSettings }
  }
  const { name, removal, protect } = config.app({ stage: request.stage })
  const app = { name, removal, protect }
  const known = defineApp({ ...app, providers: Object.fromEntries(providers.map((provider) => [provider.name, {}])) })
  await bundle(`import { run } from "${platform}/src/auto/run.ts"; ${alone}; export { run }`, known, {
    external: EXTERNAL,
    inject: [join(platform, "src/shim/run.js")],
    plugins: [{ name: "globals", setup: (build: PluginBuild) => addGlobals(build, root, globals, request.planted) }],
  })
  return { file, app }
}

type AppSettings = Synthesis["app"]

const EXTERNAL = [
  "@pulumi/*",
  "undici",
  "@pulumiverse/*",
  "@sst-provider/*",
  "@aws-sdk/*",
  "esbuild",
  "archiver",
  "glob",
  "vite",
]

/** Components use `__dirname` and `require`, which ES modules don't have. */
const BANNER = [
  `import { createRequire as __createRequire } from "node:module";`,
  `import { fileURLToPath as __fileURLToPath } from "node:url";`,
  "const require = __createRequire(import.meta.url);",
  "const __filename = __fileURLToPath(import.meta.url);",
  `const __dirname = __fileURLToPath(new URL(".", import.meta.url));`,
].join(" ")

function addGlobals(build: PluginBuild, root: string, globals: string, planted: readonly Planted[] = []): void {
  build.onLoad({ filter: /\.(js|ts)$/ }, ({ path }) => {
    if (path.includes("/.sst/") || path.includes("/node_modules/")) return undefined
    const inThis = planted.filter(({ file }) => file === relative(root, path))
    const text = inThis.reduce(plant, readFileSync(path, "utf8"))
    return { contents: `${globals}\n${text}`, loader: "ts" }
  })
}

function plant(text: string, { file, from, to }: Planted): string {
  if (!text.includes(from)) throw new Error(`${file} no longer has what was to be replaced: ${from}`)
  return text.replace(from, to)
}
