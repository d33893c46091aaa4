import { currentActivity } from "../activity.ts"
import type { Scope, SqlValue, Statement, UnitOptions } from "./database.ts"

/** The role that every unit of work runs as: it owns nothing, and row-level security holds for it. */
export const APP_ROLE = "concordance_app"

/**
 * Where names are looked up. Our objects stand in `concordance`, extensions in either of the next two. The temporary
 * schema comes last by name: left out, it would come first, and a temporary table named `chunks` would shadow ours.
 */
export const SEARCH_PATH = "concordance, public, extensions, pg_temp"

interface ScopeOptions extends UnitOptions {
  /** Refuses every write of the transaction. */
  readonly isReadOnly?: boolean
}

/**
 * The first statement of every unit of work: role, scope and search path, until the transaction ends. Both scopes are
 * always set, the other one to nothing, so that nothing of an earlier unit can stay. `statement_timeout` holds for the
 * statements that follow (PGlite takes it and ignores it).
 */
export function scopeStatement(scope: Scope, options: ScopeOptions = {}): Statement {
  const settings: [name: string, value: string][] = [
    ["role", APP_ROLE],
    ["app.source_account_id", "tenant" in scope ? scope.tenant : ""],
    ["app.api_key_hash", "apiKeyHash" in scope ? scope.apiKeyHash : ""],
    // For whom: what is told of it says so (migration 0055).
    ["app.request_id", currentActivity().requestId ?? ""],
    ["search_path", SEARCH_PATH],
    // Compiling a search takes longer than the search: 100 ms and more.
    ["jit", "off"],
  ]
  if (options.isReadOnly) settings.push(["transaction_read_only", "on"])
  if (options.timeoutMs !== undefined) {
    settings.push(["statement_timeout", String(Math.max(1, Math.ceil(options.timeoutMs)))])
  }
  const values: SqlValue[] = settings.map(([, value]) => value)
  const calls = settings.map(([name], index) => `set_config('${name}', $${index + 1}, true)`)
  return { text: `select ${calls.join(", ")}`, values }
}
