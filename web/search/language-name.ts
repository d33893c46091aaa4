const names = new Intl.DisplayNames("en", { type: "language", fallback: "code" })

/** A language in English, by its tag; the tag where it has no name. */
export function languageName(tag: string): string {
  if (tag === "" || tag === "und" || tag === "simple") return "Unknown language"
  try {
    return names.of(tag) ?? tag
  } catch {
    return tag
  }
}
