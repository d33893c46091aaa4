import { readFileSync } from "node:fs"
import { expect, test } from "vitest"
import { VERSION } from "../functions/version.ts"
import packageJson from "../package.json" with { type: "json" }

interface Lock {
  readonly packages: Readonly<Record<string, { readonly engines?: { readonly node?: string } }>>
}

/** Of SST's workflows, which nothing here uses: docs/deploy.md. */
const UNUSED = "node_modules/@aws/durable-execution-sdk-js"

test("every package that is used takes the Node that package.json promises", () => {
  const { packages } = JSON.parse(readFileSync("package-lock.json", "utf8")) as Lock
  const majorOf = (range = "") => Number(/^>=\s*v?(\d+)[\d.]*$/.exec(range)?.[1] ?? 0)
  const promised = majorOf(packages[""]?.engines?.node)
  expect(promised).toBe(20)
  const demanding = Object.entries(packages).filter(([, { engines }]) => majorOf(engines?.node) > promised)
  expect(demanding.map(([path]) => path)).toEqual([UNUSED])
})

test("the version that the service tells is the package's", () => {
  expect(VERSION).toBe(packageJson.version)
})
