import { createReadStream } from "node:fs"
import { createInterface } from "node:readline"
import type * as z from "zod"
import { AppError } from "./errors.ts"

/**
 * The lines of a file of JSON lines, each as `Line` has it; empty ones are passed over. Throws `invalid_request`, which names file,
 * line and field, and what the file system throws.
 */
export async function* readJsonLines<T>(
  path: string,
  Line: z.ZodType<T>,
): AsyncGenerator<{ readonly number: number; readonly value: T }> {
  let number = 0
  for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY })) {
    number += 1
    if (line.trim() === "") continue
    const parsed = Line.safeParse(parseJson(line))
    if (!parsed.success) {
      const issue = parsed.error.issues[0]
      throw wrongLine(path, number, issue?.path.join(".") || "line", issue?.message ?? "is wrong")
    }
    yield { number, value: parsed.data }
  }
}

/** The error of one line of a file. */
export function wrongLine(path: string, number: number, field: string, message: string): AppError {
  return new AppError("invalid_request", `${path}, line ${number}: ${field}: ${message}`)
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
