import { expect, test } from "vitest"
import { openDatabase } from "./open-database.ts"
import { driverOf } from "./open-server.ts"

test.each([
  ["postgres://u:p@ep-cool-1.eu-central-1.aws.neon.tech/db", "neon"],
  ["postgresql://u:p@ep-cool-1-pooler.eu-central-1.aws.neon.tech:5432/db?sslmode=require", "neon"],
  ["postgres://u:p@localhost:5432/neon.tech", "pg"],
  ["postgres://u:p@neon.tech.example.com/db", "pg"],
])("the host of a URL chooses the driver: %s is %s", (url, driver) => {
  expect(driverOf(url)).toBe(driver)
})

test.each(["mysql://u:hunter2@host/db", "host:5432", "postgres://u:hunter2@ho st/db", ""])(
  "a URL that is none stops the start and is not repeated: %j",
  async (url) => {
    const error = await openDatabase({ url, home: "unused" }).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: "invalid_configuration" })
    expect(String(error)).not.toContain("hunter2")
  },
)

test("an owner's URL without one to serve by is refused, not ignored", async () => {
  const opening = openDatabase({ ownerUrl: "postgres://u@h/db", home: "unused" })
  await expect(opening).rejects.toMatchObject({ code: "invalid_configuration" })
})
