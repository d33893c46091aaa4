import type { Database } from "../database/database.ts"
import { dayIsUsedUp, type TokenBudget } from "./token-budget.ts"

const TAKE = `select granted::float8 as granted, of_day::text as day, seconds_left
  from take_answer_tokens($1::bigint, $2::bigint, $3::bigint)`
const SETTLE = "select settle_answer_tokens($1::date, $2::bigint)"

/** Counted in the database, for all processes together. Throws `database_unavailable` too. */
export function createPostgresTokenBudget(database: Database, perDay: number): TokenBudget {
  return {
    async reserve(tenant, least, wanted) {
      const [rows = []] = await database.batch({ tenant }, [{ text: TAKE, values: [least, wanted, perDay] }])
      const {
        granted,
        day,
        seconds_left: secondsLeft,
      } = rows[0] as { granted: number; day: string; seconds_left: number }
      if (granted === 0) throw dayIsUsedUp(secondsLeft)
      return { tokens: granted, day }
    },
    async charge(tenant, day, difference) {
      if (difference !== 0) await database.batch({ tenant }, [{ text: SETTLE, values: [day, difference] }])
    },
  }
}
