/** Rows as CSV (RFC 4180): lines end with CRLF, a cell with a comma, quote or line break stands in quotes. */
export function toCsv(rows: readonly (readonly string[])[]): string {
  return rows.map((row) => `${row.map(toCell).join(",")}\r\n`).join("")
}

function toCell(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
