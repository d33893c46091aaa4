import { expect, test } from "vitest"
import { createBoundedDatabase } from "./bounded-database.ts"
import type { Database } from "./database.ts"

test("so many units are under way at once; one more is refused before it begins, and those that fail make room too", async () => {
  const ends: ((failed?: Error) => void)[] = []
  const work = () =>
    new Promise<never>((resolve, reject) => {
      ends.push((failed) => (failed ? reject(failed) : resolve([] as never)))
    })
  const database = { driver: "pg", batch: work, transaction: work } as unknown as Database
  const bounded = createBoundedDatabase(database, 2)
  const first = bounded.batch({ tenant: "a" }, [])
  const second = bounded.transaction({ tenant: "a" }, work)
  await expect(bounded.batch({ tenant: "b" }, [])).rejects.toMatchObject({ code: "overloaded", retryAfterS: 2 })
  expect(ends).toHaveLength(2)
  ends[0]?.()
  await first
  ends[1]?.(new Error("broken"))
  await expect(second).rejects.toThrow("broken")
  const [third, fourth] = [bounded.batch({ tenant: "a" }, []), bounded.batch({ tenant: "a" }, [])]
  for (const end of ends.slice(2)) end()
  await Promise.all([third, fourth])
})
