import type * as z from "zod"
import { AppError, type FieldProblem } from "../../errors.ts"
import { fieldProblems } from "../../field-problems.ts"

/** More than this of one bundle tells nobody anything. */
const PROBLEMS_MAX = 20

/** What is wrong with a bundle, file by file: `chunks/c0042.md: bbox: must …`. */
export class BundleProblems {
  readonly #problems: FieldProblem[] = []

  /** Notes what is wrong with a file; `field` where it is one field of it. */
  add(file: string, message: string, field?: string): void {
    if (this.#problems.length > PROBLEMS_MAX) return
    this.#problems.push({ field: field === undefined ? file : `${file}: ${field}`, message })
  }

  /** Notes every field of a file that a schema refused. */
  addIssues(file: string, issues: readonly z.core.$ZodIssue[]): void {
    for (const { field, message } of fieldProblems(issues, "")) this.add(file, message, field || undefined)
  }

  /** Notes what reading a file threw; anything but an `invalid_request` is thrown on. */
  addError(file: string, error: unknown): void {
    if (!(error instanceof AppError) || error.code !== "invalid_request") throw error
    this.add(file, error.message)
  }

  /** Enough are known; more would only take time. */
  get isFull(): boolean {
    return this.#problems.length > PROBLEMS_MAX
  }

  /** Throws `invalid_request` with all of them, if there are any. */
  throwIfAny(): void {
    if (this.#problems.length === 0) return
    const shown = this.#problems.slice(0, PROBLEMS_MAX)
    const lines = shown.map(({ field, message }) => `${field}: ${message}`)
    if (this.isFull) lines.push("and more")
    throw new AppError("invalid_request", lines.join("\n"), { fields: shown })
  }
}

/** A bundle that is refused as a whole. */
export function refused(file: string, message: string): AppError {
  return new AppError("document_unreadable", `${file}: ${message}`, { fields: [{ field: file, message }] })
}

/** One that is larger than a bundle may be. */
export function tooLarge(file: string, message: string): AppError {
  return new AppError("document_too_large", `${file}: ${message}`, { fields: [{ field: file, message }] })
}
