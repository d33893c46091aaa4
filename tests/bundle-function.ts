import { type BuildOptions, build, type Metafile } from "esbuild"

/** What a function becomes, as SST bundles it (`infra/create-lambda.ts`): minified, split at dynamic imports. */
export interface FunctionBundle {
  /** Bytes that importing it loads. */
  readonly staticBytes: number
  /** Bytes that a dynamic import of this module loads beside them. */
  moreBytes(module: string): number
  /** Whether any part of it comes from this package or file, also what is loaded later. */
  has(part: string): boolean
  /** The same for what importing it loads. */
  loads(part: string): boolean
}

/** How SST bundles a function, with the settings of `infra/create-lambda.ts`. */
export const FUNCTION_BUNDLE = {
  bundle: true,
  minify: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "esnext",
  mainFields: ["module", "main"],
  // Native; SST installs it beside the bundles that need it.
  external: ["sharp"],
  logLevel: "silent",
} satisfies BuildOptions

type Outputs = Metafile["outputs"]

/** Bundles `functions/{name}.ts`; nothing is written. */
export const bundleFunction = (name: string): Promise<FunctionBundle> => bundleModule(`functions/${name}.ts`)

/** The same for any module, by its path from here. */
export async function bundleModule(path: string): Promise<FunctionBundle> {
  const { metafile } = await build({
    entryPoints: [path],
    outdir: "unwritten",
    write: false,
    metafile: true,
    ...FUNCTION_BUNDLE,
  })
  const { outputs } = metafile
  const entry = entryOf(outputs, path)
  const first = closureOf(outputs, entry)
  return {
    staticBytes: bytesOf(outputs, first),
    moreBytes: (module) =>
      bytesOf(outputs, new Set([...closureOf(outputs, entryOf(outputs, module))].filter((path) => !first.has(path)))),
    has: (part) => Object.keys(outputs).some((path) => holds(outputs, path, part)),
    loads: (part) => [...first].some((path) => holds(outputs, path, part)),
  }
}

function entryOf(outputs: Outputs, module: string): string {
  const found = Object.entries(outputs).find(([, { entryPoint }]) => entryPoint === module)
  if (!found) throw new Error(`${module} is no entry of the bundle`)
  return found[0]
}

/** An output and all that it imports statically. */
function closureOf(outputs: Outputs, path: string, seen = new Set<string>()): Set<string> {
  if (seen.has(path)) return seen
  seen.add(path)
  for (const { kind, path: imported } of outputs[path]?.imports ?? []) {
    if (kind === "import-statement" && outputs[imported]) closureOf(outputs, imported, seen)
  }
  return seen
}

function bytesOf(outputs: Outputs, paths: ReadonlySet<string>): number {
  return [...paths].reduce((sum, path) => sum + (outputs[path]?.bytes ?? 0), 0)
}

function holds(outputs: Outputs, path: string, part: string): boolean {
  const { inputs = {}, imports = [] } = outputs[path] ?? {}
  return Object.keys(inputs).some((input) => input.includes(part)) || imports.some((each) => each.path === part)
}
