import type { Database } from "../database/database.ts"
import { dayIsUsedUp, type TokenBudget, type TokenPurpose } from "../token-budget.ts"

const FUNCTIONS = {
  answers: { take: "take_answer_tokens", settle: "settle_answer_tokens" },
  inference: { take: "take_inference_tokens", settle: "settle_inference_tokens" },
} as const

interface TokenBudgetOptions {
  readonly purpose: TokenPurpose
  readonly perDay: number
}

/** What embedding may take of a tenant's day; undefined where there is no limit (INFERENCE_TOKENS_PER_DAY). */
export function openInferenceBudget(database: Database, perDay: number | undefined): TokenBudget | undefined {
  return perDay === undefined ? undefined : createPostgresTokenBudget(database, { purpose: "inference", perDay })
}

/** Counted in the database, for all processes together. Throws `database_unavailable` too. */
export function createPostgresTokenBudget(database: Database, { purpose, perDay }: TokenBudgetOptions): TokenBudget {
  const { take, settle } = FUNCTIONS[purpose]
  const taking = `select granted::float8 as granted, of_day::text as day, seconds_left
    from ${take}($1::bigint, $2::bigint, $3::bigint)`
  return {
    async reserve(tenant, least, wanted) {
      const [rows = []] = await database.batch({ tenant }, [{ text: taking, values: [least, wanted, perDay] }])
      const {
        granted,
        day,
        seconds_left: secondsLeft,
      } = rows[0] as { granted: number; day: string; seconds_left: number }
      if (granted === 0) throw dayIsUsedUp(purpose, secondsLeft)
      return { tokens: granted, day }
    },
    async charge(tenant, day, difference) {
      if (difference === 0) return
      await database.batch({ tenant }, [{ text: `select ${settle}($1::date, $2::bigint)`, values: [day, difference] }])
    },
  }
}
