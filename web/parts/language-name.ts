const names = new Intl.DisplayNames(["en"], { type: "language", fallback: "code" })

/** `Portuguese` for `pt`; the tag itself where nobody has a name for it. */
export function languageName(tag: string): string {
  try {
    return names.of(tag) ?? tag
  } catch {
    return tag
  }
}
