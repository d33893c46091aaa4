import { afterAll, beforeAll, expect, test } from "vitest"
import { StatementError } from "../lib/database/statement-error.ts"
import { openTestDatabase, type TestDatabase } from "./database.ts"

let db: TestDatabase
beforeAll(async () => {
  db = await openTestDatabase()
})
afterAll(() => db.close())

const take = { text: "select take_search_place(2)" }

test("a tenant's places are given out while they last, are a tenant's own, and come back with the end of their transaction", async (context) => {
  if (db.database.driver === "pglite") return context.skip("the embedded database runs one transaction at a time")
  const refused = await db.database.transaction({ tenant: "a" }, async (first) => {
    await first.query(take.text)
    return db.database.transaction({ tenant: "a" }, async (second) => {
      await second.query(take.text)
      await db.database.batch({ tenant: "b" }, [take])
      return db.database.batch({ tenant: "a" }, [take]).catch((error: unknown) => error)
    })
  })
  expect(refused).toBeInstanceOf(StatementError)
  expect(refused).toMatchObject({ sqlState: "CC429" })
  await db.database.batch({ tenant: "a" }, [take])
})
