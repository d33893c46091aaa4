import { readFileSync } from "node:fs"
import { expect, test } from "vitest"
import { mintKey } from "../../lib/keys/api-key.ts"
import { findSecrets } from "./find-secrets.ts"
import { readAudit } from "./read-audit.ts"
import { refusedLicences } from "./refused-licences.ts"

/** Put together here, so that this file has none. */
const PLANTED = {
  "an AWS key": `aws_secret_access_key = ${"wJalrXUtnFEMI/K7MDENG/bPx".concat("RfiCYzzzzzzzKEY")}`,
  "a GitHub token": `const token = "${"ghp_".concat("wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUx")}"`,
  "a private key": `-----BEGIN RSA ${"PRIVATE KEY"}-----\n${"MIIEpAIBAAKCAQEA".repeat(60)}\n-----END RSA ${"PRIVATE KEY"}-----`,
  "a database's URL": `postgres://app:${"Zk3vQ8".concat("wLx9")}@db.internal:5432/live`,
  "a key of ours": `x-api-key: ${mintKey()}`,
} as const

test.each(Object.entries(PLANTED))(
  "%s in a file is found, in a test too, and its line told without it",
  async (_, secret) => {
    for (const file of ["docs/api.md", "tests/two.ts"]) {
      const found = await findSecrets(file, `One line.\n${secret}\n`)
      expect(found.length, file).toBeGreaterThan(0)
      expect(found[0]).toMatchObject({ file, line: 2 })
      expect(JSON.stringify(found)).not.toContain(secret.slice(-12))
    }
  },
)

test("a password that tests made up is none in a test, and one anywhere else", async () => {
  const url = "postgres:".concat("//u:hunter2@127.0.0.1:1/x")
  expect(await findSecrets("lib/a.test.ts", url)).toEqual([])
  expect(await findSecrets("lib/a.ts", url)).toHaveLength(1)
})

test.each([
  "AGPL-3.0-only",
  "GPL-3.0-or-later",
  "MIT AND AGPL-3.0-only",
  "SSPL-1.0",
  "UNLICENSED",
  "SEE LICENSE IN x",
  undefined,
])("a package under %s is refused, deployed or not", (license) => {
  const packages = {
    "": { license: "Apache-2.0" },
    "node_modules/a/node_modules/@b/c": { license },
    "node_modules/d": { license: "MIT" },
  }
  expect(refusedLicences({ packages })).toEqual([{ name: "@b/c", licence: license ?? "unknown" }])
})

test("of two licences that may be chosen from one has to be allowed", () => {
  expect(refusedLicences({ packages: { "node_modules/jszip": { license: "(MIT OR GPL-3.0-or-later)" } } })).toEqual([])
})

test("every package that is installed is under a licence that is allowed", () => {
  for (const lock of ["package-lock.json", ".ci/inspector/package-lock.json"]) {
    expect(refusedLicences(JSON.parse(readFileSync(lock, "utf8")))).toEqual([])
  }
})

test("a registry that could not be asked has not said that all is well", () => {
  const metadata = {}
  expect(readAudit("")).toMatchObject({ outcome: "skipped" })
  expect(readAudit("<html>")).toMatchObject({ outcome: "skipped" })
  expect(readAudit('{"message":"405 Method Not Allowed","error":{}}')).toMatchObject({
    outcome: "skipped",
    why: expect.stringContaining("405"),
  })
  expect(readAudit(JSON.stringify({ metadata, vulnerabilities: {} }))).toEqual({ outcome: "ok" })
  const vulnerabilities = { a: { severity: "moderate" }, b: { severity: "critical" } }
  expect(readAudit(JSON.stringify({ metadata, vulnerabilities }))).toEqual({
    outcome: "vulnerable",
    packages: ["b (critical)"],
  })
})
