import { readFileSync } from "node:fs"
import { expect, test } from "vitest"

/** A file of tests as docs/security.md names it, and the tests of it that follow in quotes. */
const NAMED = /`([\w./-]+\.test\.ts)`((?:,? "[^"]+")*)/g

test("every test that docs/security.md names is there, under that name", () => {
  const named = [...readFileSync("docs/security.md", "utf8").matchAll(NAMED)]
  expect(named.length).toBeGreaterThan(30)
  const missing = named.flatMap(([, file = "", names = ""]) => {
    const content = readFileSync(file, "utf8")
    return [...names.matchAll(/"([^"]+)"/g)]
      .filter(([, name = ""]) => !content.includes(name))
      .map(([, name]) => `${file}: ${name}`)
  })
  expect(missing).toEqual([])
})
