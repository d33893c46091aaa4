import { execFile } from "node:child_process"
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import type { Synthesis, SynthesisRequest } from "./synthesis.ts"

const run = promisify(execFile)
const PROGRAM = fileURLToPath(new URL("./run-synthesis.ts", import.meta.url))
/** With which SST keeps the names of two stages apart. */
const RANDOM_ENDING = /(?<=\bconcordance-[a-z]+-\w+)-[a-z]{8}\b/g
const SECRETS = {
  DatabaseUrl: "postgres://owner:p%40ss@db.example.org:5432/concordance?sslmode=require",
  ApiKey: "cc_synthesis",
}

/**
 * Runs sst.config.ts with SST's real components under Pulumi mocks: what AWS would be asked for, without AWS. Needs
 * `npm run infra:install`. Each run is a process of its own, because Pulumi keeps its state in the module.
 */
export async function synthesise(
  request: Omit<SynthesisRequest, "secrets"> & { readonly settings?: Readonly<Record<string, string>> },
): Promise<Synthesis> {
  const { settings, ...rest } = request
  const folder = await mkdtemp(join(tmpdir(), "concordance-synthesis-"))
  const [requestPath, resultPath] = [join(folder, "request.json"), join(folder, "result.json")]
  try {
    await writeFile(requestPath, JSON.stringify({ ...rest, secrets: SECRETS } satisfies SynthesisRequest))
    await run(process.execPath, ["--import", "tsx", PROGRAM, requestPath, resultPath], {
      // Nothing of the developer's own settings, and no way to AWS.
      env: { ...pathAndHome(), ...settings, AWS_EC2_METADATA_DISABLED: "true" },
      // 10 s of a core; all of a file's at once on a machine of load 18 took 210 s.
      timeout: 300_000,
      maxBuffer: 64_000_000,
    })
    return JSON.parse((await readFile(resultPath, "utf8")).replaceAll(RANDOM_ENDING, "")) as Synthesis
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function pathAndHome(): Record<string, string> {
  const { PATH = "", HOME = "" } = process.env
  return { PATH, HOME }
}
