const rules = new Intl.PluralRules("en", { type: "ordinal" })
const ENDINGS: Partial<Record<Intl.LDMLPluralRule, string>> = { one: "st", two: "nd", few: "rd" }

/** A place in a list as it is said: 1st, 2nd, 11th. */
export function ordinal(place: number): string {
  return `${place}${ENDINGS[rules.select(place)] ?? "th"}`
}
