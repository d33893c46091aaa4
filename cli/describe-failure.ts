import { AppError } from "../lib/errors.ts"

/** An error in words for a person: what went wrong, field by field where it is known; with `verbose` the way it came. */
export function describeFailure(error: unknown, verbose: boolean): string {
  const message = error instanceof Error ? error.message : String(error)
  const known = error instanceof AppError
  const fields = known ? error.fields.filter(({ message: told }) => !message.includes(told)) : []
  const lines = [`Error: ${message}`, ...fields.map(({ field, message: told }) => `  ${field} ${told}`)]
  if (verbose) return [...lines, ...trail(error)].join("\n")
  if (!known)
    lines.push("This is a fault of Concordance. Run the command again with --verbose and report what it says.")
  return lines.join("\n")
}

function trail(error: unknown, depth = 0): string[] {
  if (!(error instanceof Error) || depth > 4) return []
  const frames = (error.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line))
  const cause =
    error.cause instanceof Error ? [`Caused by: ${error.cause.message}`, ...trail(error.cause, depth + 1)] : []
  return [...frames, ...cause]
}
