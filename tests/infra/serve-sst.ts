import { once } from "node:events"
import { existsSync } from "node:fs"
import { mkdir, writeFile } from "node:fs/promises"
import { createServer, type IncomingMessage } from "node:http"
import { createRequire } from "node:module"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import type * as Esbuild from "./esbuild.ts"
import type { SynthesisedHandler } from "./synthesis.ts"

interface ServeSstOptions {
  readonly root: string
  readonly platform: string
  /** Folder for bundles. */
  readonly work: string
}

interface BuildRequest {
  readonly functionID: string
  readonly handler: string
  readonly links: SynthesisedHandler["links"]
  readonly properties: { readonly install?: Readonly<Record<string, string>> } | null
}

/** What SST's Go program answers to its components over HTTP: where the stage's own buckets are, and bundles of handlers. */
export async function serveSst({ root, platform, work }: ServeSstOptions) {
  const handlers: SynthesisedHandler[] = []
  const esbuild = createRequire(join(platform, "package.json"))("esbuild") as Esbuild.Esbuild
  const answer = async (method: string, parameters: BuildRequest): Promise<unknown> => {
    if (method === "Provider.Aws.Bootstrap") return BOOTSTRAP
    if (method === "Runtime.Build") return build(parameters)
    throw new Error(`SST asked for ${method}, which this emulation doesn't know`)
  }

  /** Bundles the handler for real where it is written already; else a stub, so that the rest can be checked. */
  async function build({ functionID, handler, links, properties }: BuildRequest) {
    const source = join(root, handler.replace(/\.\w+$/, ".ts"))
    const exported = handler.split(".").at(-1) ?? ""
    const out = join(work, "artifacts", `${functionID}-src`)
    await mkdir(out, { recursive: true })
    const outfile = join(out, "bundle.mjs")
    if (!existsSync(source)) {
      await writeFile(outfile, `export const ${exported} = undefined\n`)
      handlers.push({ functionName: functionID, handler, links, bundleBytes: null })
    } else {
      const { metafile } = await esbuild.build({
        entryPoints: [source],
        bundle: true,
        minify: true,
        platform: "node",
        format: "esm",
        target: "node22",
        external: ["sharp", "pg-native", ...Object.keys(properties?.install ?? {})],
        outfile,
        metafile: true,
        logLevel: "silent",
      })
      const output = Object.values(metafile?.outputs ?? {}).find(({ entryPoint }) => entryPoint)
      if (!output?.exports.includes(exported)) throw new Error(`${source} exports no ${exported}`)
      handlers.push({ functionName: functionID, handler, links, bundleBytes: output.bytes })
    }
    return { handler: `bundle.${exported}`, out, errors: [], sourcemaps: [] }
  }

  const respond = async (incoming: IncomingMessage): Promise<object> => {
    const { method, params } = JSON.parse(await bodyOf(incoming)) as { method: string; params: [BuildRequest] }
    return { result: await answer(method, params[0]) }
  }
  const server = createServer((incoming, outgoing) => {
    const failure = (error: unknown) => ({ error: String(error) })
    void respond(incoming)
      .catch(failure)
      .then((reply) => outgoing.end(JSON.stringify({ id: 1, ...reply })))
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, handlers }
}

const BOOTSTRAP = {
  asset: "sst-asset-mock",
  assetEcrRegistryId: "123456789012",
  assetEcrUrl: "123456789012.dkr.ecr.eu-central-1.amazonaws.com/sst-asset",
  state: "sst-state-mock",
  appsyncHttp: "",
  appsyncRealtime: "",
}

async function bodyOf(incoming: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of incoming) parts.push(part as Buffer)
  return Buffer.concat(parts).toString()
}
