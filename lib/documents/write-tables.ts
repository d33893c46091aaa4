import type { Transaction } from "../database/database.ts"
import type { AssembledTable } from "./assembled-document.ts"
import { toCsv } from "./to-csv.ts"

const INSERT_TABLES = `
  insert into document_tables (source_account_id, document_id, number, csv, rows, header_rows, first_page, last_page)
  select $1, $2, number, csv, rows, header_rows, first_page, last_page
    from jsonb_to_recordset($3::text::jsonb)
      as given (number int, csv text, rows int, header_rows int, first_page int, last_page int)`

/** Writes the tables of a document that has none: `replaceDocuments` has removed those of the version before. */
export async function writeTables(
  transaction: Transaction,
  tenant: string,
  documentId: string,
  tables: readonly AssembledTable[],
): Promise<void> {
  if (tables.length === 0) return
  await transaction.query(INSERT_TABLES, [tenant, documentId, JSON.stringify(tables.map(tableRow))])
}

function tableRow({ number, rows, headerRows, firstPage, lastPage }: AssembledTable) {
  const csv = toCsv(rows).replaceAll("\u0000", "").toWellFormed()
  return { number, csv, rows: rows.length, header_rows: headerRows, first_page: firstPage, last_page: lastPage }
}
