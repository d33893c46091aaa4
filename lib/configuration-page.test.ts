import { expect, test } from "vitest"
import { configurationPage } from "./configuration-page.ts"

// `npm run docs:config` runs this file with --update, which writes the page.
test("docs/configuration.md says what the schema says", async () => {
  await expect(configurationPage()).toMatchFileSnapshot("../docs/configuration.md")
})
