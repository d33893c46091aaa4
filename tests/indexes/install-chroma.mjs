// Puts Chroma's own server under .chroma/, from the npm registry. It is no dependency of the package: it is 417 MB, and there for
// Linux on x64 alone. Of its versions 1.0.5 is the newest that runs with Debian bookworm's glibc 2.36. 40 s the first time.
import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, writeFileSync } from "node:fs"

const NAME = "chromadb-js-bindings-linux-x64-gnu"
const FOLDER = new URL("../../.chroma/", import.meta.url)

if (!existsSync(new URL(`node_modules/${NAME}/package.json`, FOLDER))) {
  mkdirSync(FOLDER, { recursive: true })
  writeFileSync(new URL("package.json", FOLDER), '{ "private": true }')
  const args = ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--save-exact", `${NAME}@1.0.5`]
  const { status } = spawnSync("npm", args, { stdio: "inherit", cwd: FOLDER })
  process.exit(status ?? 1)
}
