import { AppError } from "../errors.ts"
import { matchesFilter } from "./filter-clause.ts"
import type { IndexClause, IndexRecord, SearchIndex } from "./search-index.ts"

/** Whose an index's records are. */
export type Tenancy =
  | { readonly mode: "single"; readonly tenant: string }
  | { readonly mode: "partition" }
  | { readonly mode: "field"; readonly field: string }

/** Where one tenant may look. */
export interface TenantView {
  readonly partition: string | null
  /** What every record must fulfil; empty where the whole collection, or the whole partition, is the tenant's. */
  readonly clauses: readonly IndexClause[]
}

/** Settings that `readTenancy` reads. */
export interface TenancySettings {
  readonly vectordbTenancy: "single" | "partition" | "field"
  readonly vectordbTenant: string
  readonly vectordbTenantField?: string | undefined
}

/** The tenancy that the settings describe. */
export function readTenancy({ vectordbTenancy: mode, vectordbTenant, vectordbTenantField }: TenancySettings): Tenancy {
  if (mode === "partition") return { mode }
  if (mode === "single") return { mode, tenant: vectordbTenant }
  if (!vectordbTenantField)
    throw new AppError("invalid_configuration", "VECTORDB_TENANT_FIELD must be set where VECTORDB_TENANCY is field.")
  return { mode, field: vectordbTenantField }
}

/** Throws `invalid_configuration` where tenants are to have partitions and the engine has none. */
export function requirePartitions({ engine, capabilities }: SearchIndex, { mode }: Tenancy): void {
  if (mode !== "partition" || capabilities.partitions !== null) return
  throw new AppError(
    "invalid_configuration",
    `VECTORDB_TENANCY is partition, and ${engine} has none: set it to field, with VECTORDB_TENANT_FIELD, or to single.`,
  )
}

/** Where a tenant may look. Throws `forbidden` for any but the one tenant of an index that isn't divided. */
export function viewOf(tenancy: Tenancy, tenant: string): TenantView {
  switch (tenancy.mode) {
    case "partition":
      return { partition: tenant, clauses: [] }
    case "field": {
      const { field } = tenancy
      return { partition: null, clauses: [{ field, path: field.split("."), operator: "eq", value: tenant }] }
    }
    case "single": {
      if (tenant === tenancy.tenant) return { partition: null, clauses: [] }
      throw new AppError(
        "forbidden",
        "The index that is searched here belongs to another tenant; VECTORDB_TENANCY can divide it.",
      )
    }
  }
}

/** Whether a record that was fetched by its id is the tenant's: ids are no secret, and a fetch takes no filter. */
export function mayRead({ clauses }: TenantView, record: IndexRecord): boolean {
  return matchesFilter(clauses, record)
}
