import { AppError } from "../errors.ts"
import type { FilterValue } from "../search/filter.ts"
import type { IndexClause, IndexFilter, IndexRecord, SearchIndex } from "./search-index.ts"

/** What a filter means, computed on one record: the truth that every adapter's translation is tested against. */
export function matchesFilter(filter: IndexFilter, record: Pick<IndexRecord, "id" | "payload">): boolean {
  return filter.every((clause) => matchesClause(clause, record))
}

/**
 * Whether one clause holds, as jsonpath's lax mode has it: a list is looked into, on the way and at its end; a clause holds
 * when it does for one item; values of two types are never equal and never in order; `exists` asks for the key alone.
 */
function matchesClause(clause: IndexClause, { id, payload }: Pick<IndexRecord, "id" | "payload">): boolean {
  const reached = clause.path.length === 0 ? [id] : itemsAt(payload, clause.path)
  if (clause.operator === "exists") return reached.length > 0 === clause.value
  const items = reached.flatMap((item) => (Array.isArray(item) ? item : [item]))
  return items.some((item) => holds(clause, item))
}

function itemsAt(root: unknown, path: readonly string[]): unknown[] {
  let items: unknown[] = [root]
  for (const key of path) {
    items = items
      .flatMap((item) => (Array.isArray(item) ? item : [item]))
      .filter(
        (item): item is Record<string, unknown> =>
          typeof item === "object" && item !== null && Object.hasOwn(item, key),
      )
      .map((item) => item[key])
  }
  return items
}

function holds(clause: Exclude<IndexClause, { operator: "exists" }>, item: unknown): boolean {
  if (clause.operator === "eq") return item === clause.value
  if (clause.operator === "in") return clause.value.some((value) => item === value)
  if (typeof item !== typeof clause.value) return false
  const order = compare(item as string | number, clause.value)
  if (clause.operator === "gt") return order > 0
  if (clause.operator === "gte") return order >= 0
  return clause.operator === "lt" ? order < 0 : order <= 0
}

/** Numbers by size, texts by code point, as PostgreSQL's jsonpath orders them. */
function compare(a: string | number, b: string | number): number {
  if (typeof a === "number" || typeof b === "number") return Number(a) - Number(b)
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}

/** The clause's value in words for an error: its type, never the value. */
export function typeOfValue(value: FilterValue): string {
  return value === null ? "null" : `a ${typeof value}`
}

/** What a translation throws for a clause that the engine can't express: names the field, the operator and the engine. */
export function cannotFilter(
  { engine }: Pick<SearchIndex, "engine">,
  { field, operator }: IndexClause,
  why: string,
): AppError {
  const message = `${operator} can't be asked of ${engine}: ${why}`
  return new AppError("invalid_request", `filter.${field}: ${message}`, {
    fields: [{ field: `filter.${field}`, message }],
  })
}
