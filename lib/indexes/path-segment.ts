import { AppError } from "../errors.ts"

/** A name as one segment of a URL's path. Throws `invalid_configuration` for `.` and `..`, which a URL takes for ways up. */
export function pathSegment(name: string): string {
  if (name === "." || name === "..") {
    throw new AppError(
      "invalid_configuration",
      "A collection or tenant called `.` or `..` can't be asked for over HTTP.",
    )
  }
  return encodeURIComponent(name)
}
