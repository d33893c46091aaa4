import { PGlite } from "@electric-sql/pglite"
import { vi } from "vitest"

/** The text of every statement that the embedded database runs while `work` does, in order. */
export async function statementsDuring(work: () => Promise<unknown>): Promise<readonly string[]> {
  const texts: string[] = []
  const spy = vi.spyOn(PGlite.prototype, "query")
  try {
    await work()
    for (const [text] of spy.mock.calls) texts.push(text)
  } finally {
    spy.mockRestore()
  }
  return texts
}
