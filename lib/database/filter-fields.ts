import { AppError } from "../errors.ts"
import type { OwnerDatabase, Row } from "./database.ts"

/** A field of the metadata whose values stand in an index of the tenant's. */
export interface FilterField {
  readonly tenant: string
  /** As a filter names it: `author.name`. */
  readonly field: string
  readonly values: number
}

/**
 * Indexes a field of a tenant's metadata, now and for all that is written later: a search whose filter compares it and leaves few
 * chunks then compares these alone. Worth it where the vectors have an index and a filter leaves less than about a tenth. Writers
 * wait until it is done. Costs each chunk a row for each of its values. Returns how many values were written.
 */
export async function indexFilterField(owner: OwnerDatabase, tenant: string, field: string): Promise<number> {
  if (field === "") throw new AppError("invalid_request", "Name a field of the metadata, like year or author.name")
  const [row] = await owner.session((session) =>
    session.query<{ written: number }>("select concordance.index_filter_field($1, $2)::float8 as written", [
      tenant,
      field,
    ]),
  )
  return row?.written ?? 0
}

/** Forgets a field and its values; filters on it go on to work. Throws `not_found` for one that isn't indexed. */
export async function dropFilterField(owner: OwnerDatabase, tenant: string, field: string): Promise<void> {
  const rows = await owner.session((session) =>
    session.query("delete from concordance.filter_fields where source_account_id = $1 and field = $2 returning id", [
      tenant,
      field,
    ]),
  )
  if (rows.length === 0) throw new AppError("not_found", `Tenant ${tenant} has no index on the field ${field}`)
}

/** All indexed fields of all tenants. */
export async function listFilterFields(owner: OwnerDatabase): Promise<FilterField[]> {
  return owner.session((session) =>
    session.query<FilterField & Row>(`
      select f.source_account_id as tenant, f.field,
             (select count(*)::float8 from concordance.filter_values v
               where v.source_account_id = f.source_account_id and v.field_id = f.id) as values
        from concordance.filter_fields f order by 1, 2`),
  )
}
