import { execFile } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { promisify } from "node:util"
import { build } from "esbuild"
import { describe, expect, test } from "vitest"

// No Docker here: what of the image can be known without it.

const DOCKERFILE = readFileSync("functions/inference/Dockerfile", "utf8")
const IGNORED = readFileSync("functions/inference/Dockerfile.dockerignore", "utf8")

/** Each stage's instructions, under its name; the last has none. */
const stages = new Map(
  DOCKERFILE.split(/^(?=FROM )/m)
    .slice(1)
    .map((text) => [/ AS (\w+)$/m.exec(text)?.[1] ?? "image", text] as const),
)

/** What a stage takes from the repository. */
function copied(stage: string): string[] {
  return [...(stages.get(stage) ?? "").matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, paths = ""]) =>
    paths.split(" "),
  )
}

/** Files of ours that an entry imports, however deep. */
async function needed(entry: string): Promise<string[]> {
  const { metafile } = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    metafile: true,
    outdir: "unwritten",
    platform: "node",
    format: "esm",
    packages: "external",
    logLevel: "silent",
  })
  return Object.keys(metafile.inputs)
}

const holds = (folders: readonly string[], file: string) =>
  folders.some((folder) => file === folder || file.startsWith(`${folder}/`))

test.each(["packages", "weights", "code"])("all that the stage %s copies is there, and not kept from it", (stage) => {
  const visible = [...IGNORED.matchAll(/^!(.+)$/gm)].map(([, path = ""]) => path)
  expect(copied(stage).length).toBeGreaterThan(0)
  for (const path of copied(stage)) {
    expect(existsSync(path), path).toBe(true)
    expect(holds(visible, path), path).toBe(true)
    expect(existsSync(path) && /\.test\.ts$/.test(path)).toBe(false)
  }
})

test.each([
  ["weights", "functions/inference/weights.ts"],
  ["code", "functions/inference/bundle.ts"],
  ["code", "functions/inference/handler.ts"],
  ["code", "functions/inference/server.ts"],
])("the stage %s has every file that %s imports", async (stage, entry) => {
  const files = await needed(entry)
  expect(files).toContain(entry)
  expect(files.filter((file) => !holds([...copied("packages"), ...copied(stage)], file))).toEqual([])
})

test("the layer of the weights is made of nothing that changes with the rest of the code", async () => {
  const files = await needed("functions/inference/weights.ts")
  expect(copied("weights")).not.toEqual(expect.arrayContaining(["lib"]))
  expect(files.length).toBeLessThan(15)
})

test("the profile decides the weights and the settings; the image is for one architecture and builds on any", () => {
  expect(stages.get("weights")).toContain('weights.ts "$INFERENCE_PROFILE" /models')
  expect(stages.get("image")).toMatch(/^ENV INFERENCE_PROFILE=\$\{INFERENCE_PROFILE\} /m)
  expect(stages.get("packages")).toMatch(/^FROM --platform=\$BUILDPLATFORM /)
  // A RUN in the last stage would be emulated.
  expect(stages.get("image")).not.toMatch(/^RUN /m)
  expect(stages.get("image")).toContain('CMD ["handler.handler"]')
  expect(stages.get("code")).toContain('bundle.ts /code "$TARGETARCH"')
})

test("only the version's own packages come in, none of their scripts is run, and no secret is a build argument", () => {
  expect(stages.get("packages")).toContain("npm ci --omit=dev")
  expect(copied("packages")).toContain(".npmrc")
  expect(readFileSync(".npmrc", "utf8")).toContain("ignore-scripts=true")
  expect([...DOCKERFILE.matchAll(/^ARG (\w+)/gm)].map(([, name]) => name)).toEqual([
    "BASE",
    "INFERENCE_PROFILE",
    "TARGETARCH",
    "INFERENCE_PROFILE",
  ])
})

describe("weights.ts", () => {
  test.each([[["openai", "/tmp/unwritten"]], [["mini"]]])("called with %j ends the build", async (args) => {
    const run = promisify(execFile)(process.execPath, ["--import", "tsx", "functions/inference/weights.ts", ...args])
    await expect(run).rejects.toMatchObject({ code: 1, stderr: expect.stringMatching(/INFERENCE_PROFILE|folder/) })
  })
})
