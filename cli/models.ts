import { readdir, stat } from "node:fs/promises"
import { join } from "node:path"
import type { Command } from "commander"
import { CommandFailed } from "./exit.ts"
import type { Terminal } from "./terminal.ts"

export function addModelsCommand(program: Command, terminal: Terminal): void {
  const models = program.command("models").description("build, fetch and list the models that run in this process")
  models
    .command("build")
    .description("build or fetch the models of INFERENCE_PROFILE, and run each once")
    .action(() => buildModels(terminal))
  models
    .command("list")
    .description("print the models that are in CONCORDANCE_HOME: name for the settings, folder, size")
    .action(() => listModels(terminal))
}

async function buildModels(terminal: Terminal): Promise<void> {
  const { openConfiguredInference } = await import("./open-configured.ts")
  const inference = await openConfiguredInference()
  try {
    const warmed = await inference.warm()
    for (const { role, model, tookMs, failure } of warmed) {
      if (failure) terminal.note(`Error: ${role} ${model}: ${failure.message}`)
      else terminal.line(`${role}  ${model}  ready in ${(tookMs / 1000).toFixed(1)} s`)
    }
    if (warmed.some(({ failure }) => failure)) throw new CommandFailed()
    if (warmed.length === 0) terminal.line("The configuration names no model.")
  } finally {
    await inference.close()
  }
}

async function listModels(terminal: Terminal): Promise<void> {
  const { configFromEnvironment } = await import("../functions/environment.ts")
  const { nameOfCached } = await import("../lib/inference/model-source.ts")
  const root = join(configFromEnvironment().concordanceHome, "models")
  const found = await findModels(root)
  for (const { folder, bytes } of found) {
    terminal.line(`${nameOfCached(folder) ?? join(root, folder)}  ${folder}  ${(bytes / 1e6).toFixed(0)} MB`)
  }
  if (found.length === 0) terminal.note(`There are no models in ${root}. Get them with: concordance models build`)
}

/** Folders that hold a `config.json`: `all-MiniLM-L6-v2`, or `owner/name` as fetched from the hub. */
async function findModels(root: string, folder = ""): Promise<{ folder: string; bytes: number }[]> {
  const entries = await readdir(join(root, folder), { withFileTypes: true }).catch(() => [])
  if (entries.some((entry) => entry.name === "config.json"))
    return [{ folder, bytes: await folderBytes(join(root, folder)) }]
  const below = entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith("."))
  return (await Promise.all(below.map(({ name }) => findModels(root, join(folder, name))))).flat()
}

async function folderBytes(folder: string): Promise<number> {
  const names = await readdir(folder, { recursive: true })
  const facts = await Promise.all(names.map((name) => stat(join(folder, name))))
  return facts.reduce((sum, fact) => sum + (fact.isFile() ? fact.size : 0), 0)
}
