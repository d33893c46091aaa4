/** Text as PostgreSQL keeps it: without NUL, and without half of a surrogate pair. */
export function storable(text: string): string {
  return text.replaceAll("\u0000", "").toWellFormed()
}
