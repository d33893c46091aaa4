import { spawnSync } from "node:child_process"
import { readFileSync, statSync } from "node:fs"
import { findSecrets } from "./find-secrets.ts"
import { readAudit } from "./read-audit.ts"
import { type Lock, refusedLicences } from "./refused-licences.ts"

// `npm run check:supply`: no secret in a tracked file, no licence that isn't allowed, no package with a known hole. It ends with
// 1 where one is found, and with 75 (EX_TEMPFAIL) where the registry could not be asked and all else is well.

/** Models and pictures; text of ours is smaller. */
const SCANNED_BYTES_MAX = 8_000_000
const LOCKS = ["package-lock.json", ".ci/inspector/package-lock.json"]

const say = (line: string) => process.stdout.write(`${line}\n`)

async function secrets(): Promise<boolean> {
  const listed = spawnSync("git", ["ls-files", "-z"], { encoding: "utf8", maxBuffer: 64 << 20 })
  const files = listed.stdout.split("\0").filter((file) => statSync(file, { throwIfNoEntry: false })?.isFile())
  if (listed.status !== 0 || files.length === 0) throw new Error("git lists no files: run it in a checkout")
  let found = 0
  for (const file of files) {
    if (statSync(file).size > SCANNED_BYTES_MAX)
      say(`secrets: ${file} is larger than ${SCANNED_BYTES_MAX} bytes; not read`)
    else {
      for (const { line, kind } of await findSecrets(file, readFileSync(file, "utf8"))) {
        found += 1
        say(`secrets: ${file}:${line} looks like a secret (${kind})`)
      }
    }
  }
  say(`secrets: ${found} found in ${files.length} files`)
  return found === 0
}

function licences(): boolean {
  const refused = LOCKS.flatMap((file) => refusedLicences(JSON.parse(readFileSync(file, "utf8")) as Lock))
  for (const { name, licence } of refused) say(`licences: ${name} is under "${licence}", which is not allowed`)
  say(`licences: ${refused.length} refused`)
  return refused.length === 0
}

function audit(): "ok" | "vulnerable" | "skipped" {
  const { stdout } = spawnSync("npm", ["audit", "--omit=dev", "--json"], { encoding: "utf8", timeout: 120_000 })
  const result = readAudit(stdout)
  if (result.outcome === "skipped") say(`audit: SKIPPED: ${result.why}`)
  else if (result.outcome === "vulnerable") say(`audit: ${result.packages.join(", ")}`)
  else say("audit: no package that is deployed has a known hole of high severity")
  return result.outcome
}

const isClean = [await secrets(), licences()].every(Boolean)
const audited = audit()
process.exitCode = isClean && audited !== "vulnerable" ? (audited === "skipped" ? 75 : 0) : 1
