import { countOf } from "../parts/format.ts"

const MINUTE_S = 60
const HOUR_S = 3_600

/** When to ask again, as people say it: by the clock once it is more than a minute. */
export function whenAgain(seconds: number, now: Date, locale?: string): string {
  if (seconds < MINUTE_S) return `in ${countOf(Math.max(1, Math.ceil(seconds)), "second")}`
  const at = new Date(now.getTime() + seconds * 1_000)
  const clock = at.toLocaleTimeString(locale, { hour: "2-digit", minute: "2-digit" })
  const day = at.getDate() === now.getDate() ? "" : " tomorrow"
  const wait =
    seconds < HOUR_S
      ? countOf(Math.ceil(seconds / MINUTE_S), "minute")
      : `about ${countOf(Math.round(seconds / HOUR_S), "hour")}`
  return `at ${clock}${day}, in ${wait}`
}
