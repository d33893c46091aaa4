import { PGlite } from "@electric-sql/pglite"
import { vi } from "vitest"
import { currentActivity } from "../../lib/activity.ts"

/** The text of every statement that the embedded database runs for a request while `work` does, in order. */
export async function statementsDuring(work: () => Promise<unknown>): Promise<readonly string[]> {
  const texts: string[] = []
  const query = PGlite.prototype.query
  const spy = vi.spyOn(PGlite.prototype, "query").mockImplementation(function (this: PGlite, ...asked) {
    if (currentActivity().requestId !== null) texts.push(asked[0])
    return query.apply(this, asked) as never
  })
  try {
    await work()
  } finally {
    spy.mockRestore()
  }
  return texts
}
