import * as z from "zod"
import type { Database } from "../database/database.ts"
import { invalidField } from "../errors.ts"

/** Most days of one answer, and how many where none are named. */
const USAGE_DAYS_MAX = 366
const USAGE_DAYS = 31
const DAY_MS = 86_400_000

/** A day (UTC), as people write it. */
export const UsageDate = z.iso.date("must be a date like 2026-11-30")

const counts = {
  searches: z.int(),
  answers: z.int(),
  answer_tokens: z.int().describe("Of the language model, asked and answered"),
  embedded_tokens: z
    .int()
    .describe("That the embedding model read of documents, uploads and of `/embed` and `/v1/embeddings`"),
  documents: z.int().describe("Written, anew or again"),
  passages: z.int().describe("Written with them"),
  pages: z.int().describe("Pages of uploads that were read"),
  crops: z.int().describe("Parts of pages that were drawn"),
}
const NAMES = Object.keys(counts) as (keyof typeof counts)[]

/** What a tenant has used, and what is stored for it now. */
export const UsageReport = z.object({
  from: UsageDate,
  to: UsageDate,
  days: z
    .array(z.object({ day: UsageDate, ...counts }))
    .describe("Every day from `from` to `to` (UTC), those without use too"),
  total: z.object(counts),
  stored: z.object({
    documents: z.int(),
    passages: z.int(),
    pages: z.int(),
    upload_bytes: z.int().describe("Files that were uploaded and are kept; pictures made of them are not counted"),
  }),
})
export type UsageReport = z.infer<typeof UsageReport>

/** Days, both included; the latest 31 when absent. */
export interface UsageDays {
  readonly from?: string | undefined
  readonly to?: string | undefined
}

/** Throws `invalid_request` for days that are in the wrong order, or too many; `database_unavailable`. */
export type ReadUsage = (tenant: string, days: UsageDays) => Promise<UsageReport>

const DAYS = `
  select to_char(d.day, 'YYYY-MM-DD') as day, coalesce(a.tokens, 0)::float8 as answer_tokens,
         ${NAMES.filter((name) => name !== "answer_tokens")
           .map((name) => `coalesce(u.${name}, 0)::float8 as ${name}`)
           .join(", ")}
    from generate_series($1::date, $2::date, interval '1 day') as d (day)
    left join usage_days u on u.day = d.day::date
    left join answer_tokens a on a.day = d.day::date
   order by d.day`

const UPLOADS = "select coalesce(sum(bytes), 0)::float8 as bytes from ingest_jobs where state <> 'superseded'"

interface ReadUsageDeps {
  readonly database: Database
  readonly stored: (tenant: string) => Promise<Pick<UsageReport["stored"], "documents" | "passages" | "pages">>
  /** Adds up what this process has counted and not added up yet. */
  readonly flush?: () => Promise<void>
  /** Milliseconds since 1970. */
  readonly now?: () => number
}

/** What other processes counted within the last 5 s may be missing. */
export function createReadUsage({ database, stored, flush, now = Date.now }: ReadUsageDeps): ReadUsage {
  return async (tenant, asked) => {
    const { from, to } = daysOf(asked, now())
    await flush?.()
    const [{ documents, passages, pages }, [days = [], uploads = []]] = await Promise.all([
      stored(tenant),
      database.batch({ tenant }, [{ text: DAYS, values: [from, to] }, { text: UPLOADS }]),
    ])
    const counted = days as unknown as UsageReport["days"]
    const total = (name: (typeof NAMES)[number]) => counted.reduce((sum, day) => sum + day[name], 0)
    return {
      ...{ from, to, days: counted },
      total: Object.fromEntries(NAMES.map((name) => [name, total(name)])) as UsageReport["total"],
      stored: { documents, passages, pages, upload_bytes: Number(uploads[0]?.["bytes"] ?? 0) },
    }
  }
}

function daysOf(asked: UsageDays, now: number): { readonly from: string; readonly to: string } {
  const to = asked.to ?? dateOf(now)
  const from = asked.from ?? dateOf(Date.parse(to) - (USAGE_DAYS - 1) * DAY_MS)
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1
  if (days < 1) throw invalidField("from", `must not be after to, which is ${to}`)
  if (days > USAGE_DAYS_MAX)
    throw invalidField("from", `must be at most ${USAGE_DAYS_MAX} days before to, which is ${to}`)
  return { from, to }
}

const dateOf = (at: number): string => new Date(at).toISOString().slice(0, 10)
