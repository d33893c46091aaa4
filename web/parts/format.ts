const NUMBER = new Intl.NumberFormat("en")
const DAY = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric" })
const TIME = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" })
const LANGUAGES = new Intl.DisplayNames(["en"], { type: "language" })

/** `12,345`. */
export function formatCount(count: number): string {
  return NUMBER.format(count)
}

/** `1 page`, `12,345 pages`. */
export function countOf(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`
}

/** `714 bytes`, `88 KB`, `2.4 MB`: thousands, as file managers count. */
export function formatBytes(bytes: number): string {
  if (bytes < 1_000) return countOf(bytes, "byte")
  if (bytes < 999_500) return `${Math.round(bytes / 1_000)} KB`
  if (bytes < 999_500_000) return `${(bytes / 1e6).toPrecision(bytes < 9.95e6 ? 2 : 3).replace(/\.0$/, "")} MB`
  return `${(bytes / 1e9).toPrecision(2).replace(/\.0$/, "")} GB`
}

/** `14 Mar 2026`, in the reader's time zone. */
export function formatDay(iso: string): string {
  return DAY.format(new Date(iso))
}

/** `09:41`. */
export function formatTime(at: number): string {
  return TIME.format(at)
}

/** `3 minutes ago`. Within a minute: `just now`. */
export function formatAge(ms: number): string {
  const minutes = Math.floor(ms / 60_000)
  if (minutes < 1) return "just now"
  if (minutes < 60) return `${countOf(minutes, "minute")} ago`
  const hours = Math.floor(minutes / 60)
  return hours < 48 ? `${countOf(hours, "hour")} ago` : `${countOf(Math.floor(hours / 24), "day")} ago`
}

/** `Portuguese` of `pt`; the tag itself where nobody knows it. `und` is what no detector could tell. */
export function languageName(tag: string): string {
  if (tag === "" || tag === "und" || tag === "simple") return "Unknown language"
  try {
    return LANGUAGES.of(tag) ?? tag
  } catch {
    return tag
  }
}
