// Run by synthesise.ts, in a process of its own: `run-synthesis.ts <request.json> <result.json>`.
import { readFileSync, writeFileSync } from "node:fs"
import { rm } from "node:fs/promises"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { bundleProgram } from "./bundle-program.ts"
import { answerCall, answerResource } from "./mock-aws.ts"
import { serveSst } from "./serve-sst.ts"
import type { Synthesis, SynthesisedResource, SynthesisRequest } from "./synthesis.ts"

// tsx turns them on. Pulumi makes a stack trace for every promise, and mapping each doubled the time.
process.setSourceMapsEnabled(false)

const root = fileURLToPath(new URL("../..", import.meta.url))
const [requestPath = "", resultPath = ""] = process.argv.slice(2)
const request = JSON.parse(readFileSync(requestPath, "utf8")) as SynthesisRequest

// A rejection that nobody waits for is how Pulumi tells of most mistakes. Unheard, the run would wait for ever.
const failed = new Promise<never>((_, reject) => {
  process.on("unhandledRejection", reject)
  process.on("uncaughtException", reject)
})

try {
  writeFileSync(resultPath, JSON.stringify(await Promise.race([synthesise(), failed])))
  leave(0)
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`)
  leave(1)
}

/** Without Pulumi's word about promises that were still open, which is all it says after a failure. */
function leave(status: number): never {
  process.removeAllListeners("exit")
  process.exit(status)
}

async function synthesise(): Promise<Synthesis> {
  const platform = join(root, ".sst/platform")
  // Beside the request, where the caller cleans up: two runs at once must not write the same bundles.
  const work = dirname(requestPath)
  const sst = await serveSst({ root, platform, work })
  process.env["SST_SERVER"] = sst.url
  for (const [name, value] of Object.entries(request.secrets)) process.env[`SST_SECRET_${name}`] = value
  const program = await bundleProgram({ root, platform, work, request })
  try {
    const pulumi = createRequire(join(platform, "package.json"))("@pulumi/pulumi") as PulumiRuntime
    const resources = new Map<string, SynthesisedResource>()
    await pulumi.runtime.setMocks(
      {
        newResource(args) {
          const { type, name } = args
          const inputs = opened(args.inputs)
          resources.set(`${type}::${name}`, { type, name, inputs, protect: false, retain: false, after: [] })
          return answerResource({ type, name, inputs })
        },
        call: answerCall,
      },
      program.app.name,
      request.stage,
      false,
    )
    noteOptions(pulumi.runtime.getMonitor(), resources)
    const { run, config } = (await import(pathToFileURL(program.file).href)) as Program
    await pulumi.runtime.runInPulumiStack(() => run(config.run))
    await settled(createRequire(join(platform, "package.json"))("@pulumi/pulumi/runtime/state") as PulumiState)
    return { app: program.app, resources: [...resources.values()].sort(byTypeAndName), handlers: sst.handlers }
  } finally {
    await rm(program.file, { force: true })
  }
}

/** What mocks are not told: whether a resource is kept, and what it waits for. */
function noteOptions(monitor: Monitor, resources: Map<string, SynthesisedResource>): void {
  const register = monitor.registerResource.bind(monitor)
  monitor.registerResource = (registration, callback) => {
    register(registration, (error, response) => {
      const resource = resources.get(`${registration.getType()}::${registration.getName()}`)
      if (resource) {
        resource.protect = registration.getProtect()
        resource.retain = registration.getRetainondelete()
        resource.after = registration.getDependenciesList().map((urn) => urn.slice(urn.lastIndexOf("::") + 2))
      }
      callback(error, response)
    })
  }
}

/** Components go on making resources in callbacks after the program has ended: Pulumi counts what is still open. */
async function settled({ getStore }: PulumiState): Promise<void> {
  while (getStore().leakCandidates.size > 0) await new Promise((resolve) => setTimeout(resolve, 50))
}

/** A value without the wrapping in which Pulumi marks secrets. */
function opened(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(opened)
  if (typeof value !== "object" || value === null) return value
  // The source code of a dynamic provider is SST's, not ours.
  const entries = Object.entries(value).filter(([key]) => key !== "__provider")
  const secret = entries.length === 2 && entries.some(([key]) => key === "4dabf18193072939515e22adb298388d")
  if (secret) return opened((value as { value: unknown }).value)
  return Object.fromEntries(entries.map(([key, inner]) => [key, opened(inner)]))
}

function byTypeAndName(a: SynthesisedResource, b: SynthesisedResource): number {
  return a.type.localeCompare(b.type) || a.name.localeCompare(b.name)
}

interface Registration {
  getType(): string
  getName(): string
  getProtect(): boolean
  getRetainondelete(): boolean
  getDependenciesList(): string[]
}

interface Monitor {
  registerResource(registration: Registration, callback: (error: unknown, response: unknown) => void): void
}

interface PulumiRuntime {
  readonly runtime: {
    setMocks(
      mocks: { newResource: typeof answerResource; call: typeof answerCall },
      project: string,
      stack: string,
      preview: boolean,
    ): Promise<void>
    getMonitor(): Monitor
    runInPulumiStack(program: () => Promise<unknown>): Promise<unknown>
  }
}

interface PulumiState {
  getStore(): { readonly leakCandidates: ReadonlySet<unknown> }
}

interface Program {
  readonly run: (program: unknown) => Promise<unknown>
  readonly config: { readonly run: unknown }
}
