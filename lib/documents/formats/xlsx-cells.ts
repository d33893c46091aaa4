import { childNamed, childrenNamed, type MarkupElement } from "./markup-tree.ts"

/** How numbers of a style are shown. */
type NumberKind = "number" | "percent" | "date" | "time" | "datetime" | "duration"

/** Kinds of all styles, by their number. */
export interface CellStyles {
  readonly kinds: readonly NumberKind[]
  /** Days count from 1904, as on old Macs. */
  readonly is1904: boolean
}

/** Formats that are built in have no code in the file: ECMA-376 part 1, 18.8.30, those of East Asia included. */
const BUILT_IN: readonly (readonly [from: number, to: number, kind: NumberKind])[] = [
  [9, 10, "percent"],
  [14, 17, "date"],
  [18, 21, "time"],
  [22, 22, "datetime"],
  [27, 31, "date"],
  [32, 35, "time"],
  [36, 36, "date"],
  [45, 47, "duration"],
  [50, 58, "date"],
]
const DAY_MS = 86_400_000
/** 9999-12-31. */
const DAYS_MAX = 2_958_466
const EPOCH_1900 = Date.UTC(1899, 11, 30)
const EPOCH_1904 = Date.UTC(1904, 0, 1)

/** Styles of a workbook; without the part, all numbers are plain. */
export function readCellStyles(styles: MarkupElement | null, is1904: boolean): CellStyles {
  const custom = new Map<number, NumberKind>()
  for (const { attributes } of childrenNamed(childNamed(styles ?? undefined, "numFmts"), "numFmt")) {
    custom.set(Number(attributes["numFmtId"]), kindOfCode(attributes["formatCode"] ?? ""))
  }
  const kinds = childrenNamed(childNamed(styles ?? undefined, "cellXfs"), "xf").map(({ attributes }) => {
    const id = Number(attributes["numFmtId"] ?? 0)
    return custom.get(id) ?? BUILT_IN.find(([from, to]) => id >= from && id <= to)?.[2] ?? "number"
  })
  return { kinds, is1904 }
}

/** What a format code shows, by the letters that are left without quoted text, colours, conditions and padding. */
function kindOfCode(code: string): NumberKind {
  if (/\[(?:h+|m+|s+)\]/i.test(code)) return "duration"
  const bare = (code.split(";")[0] ?? "").replace(/"[^"]*"|\[[^\]]*\]|[\\_*]./g, "")
  if (/^general$/i.test(bare.trim())) return "number"
  const hasTime = /[hs]/i.test(bare)
  const hasDate = /[yd]/i.test(bare) || (/m/i.test(bare) && !hasTime)
  if (hasDate) return hasTime ? "datetime" : "date"
  if (hasTime) return "time"
  return bare.includes("%") ? "percent" : "number"
}

/** The text of a cell as its reader sees it, near enough: `type` and `value` are those of the file, `style` a number. */
export function cellText(
  type: string,
  value: string,
  style: number,
  strings: readonly string[],
  styles: CellStyles,
): string {
  if (type === "s") return unescapeText(strings[Number(value)] ?? "")
  if (type === "b") return value === "1" || value === "true" ? "TRUE" : "FALSE"
  if (type === "d") return value.replace("T", " ").replace(/(?: 00:00:00)?(?:\.0+)?Z?$/, "")
  if (type !== "n") return unescapeText(value)
  const number = Number(value)
  if (value.trim() === "" || !Number.isFinite(number)) return value
  const kind = styles.kinds[style] ?? "number"
  if (kind === "number") return numberText(number)
  if (kind === "percent") return `${numberText(number * 100)}%`
  if (kind === "duration") return durationText(number)
  return number < 0 || number >= DAYS_MAX ? numberText(number) : dateText(number, kind, styles.is1904)
}

/** With 15 digits, as Excel calculates; so 0.1 + 0.2 is 0.3. */
function numberText(number: number): string {
  return Number.isSafeInteger(number) ? String(number) : String(Number(number.toPrecision(15)))
}

function dateText(days: number, kind: NumberKind, is1904: boolean): string {
  if (kind === "time" || days < 1) return clock(Math.round((days % 1) * 86_400) % 86_400)
  // Excel believes that 1900 was a leap year: day 60 is its 29 February, and those before it are one day off.
  const shifted = is1904 ? days : days < 60 ? days + 1 : days
  const date = new Date((is1904 ? EPOCH_1904 : EPOCH_1900) + Math.round((shifted * DAY_MS) / 1_000) * 1_000)
  const [day = "", time = ""] = date.toISOString().split("T")
  const isMidnight = time.startsWith("00:00:00")
  return kind === "date" && isMidnight ? day : `${day} ${time.slice(0, time.startsWith("00", 6) ? 5 : 8)}`
}

function durationText(days: number): string {
  return `${days < 0 ? "-" : ""}${clock(Math.round(Math.abs(days) * 86_400))}`
}

/** `26:05:00` of seconds. */
function clock(seconds: number): string {
  const two = (part: number): string => String(part).padStart(2, "0")
  return `${two(Math.floor(seconds / 3_600))}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`
}

/** `_x000D_` stands for a character that XML can't hold, or that Excel feared it couldn't. */
function unescapeText(text: string): string {
  return text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
}
