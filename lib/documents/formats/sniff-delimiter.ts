const DELIMITERS = [",", ";", "\t", "|"] as const
const SAMPLE_CHARS = 65_536
const ROWS_LOOKED_AT = 100

/**
 * What stands between the cells of a table in text: the candidate that cuts most rows into the same number of cells, at
 * least two; of equal ones the one that makes more cells. Quoted text doesn't count. A single column has a comma.
 */
export function sniffDelimiter(text: string): string {
  const rows = sampleRows(text)
  let best: { delimiter: string; score: number } = { delimiter: ",", score: 0 }
  for (const delimiter of DELIMITERS) {
    const score = scoreOf(rows.map((row) => row.split(delimiter).length))
    if (score > best.score) best = { delimiter, score }
  }
  return best.delimiter
}

/** Rows without what is quoted, so that a delimiter or a line break inside quotes isn't one. */
function sampleRows(text: string): string[] {
  const sample = text.slice(0, SAMPLE_CHARS)
  const rows = sample
    .replace(/"(?:[^"]|"")*"/g, "q")
    .split(/\r\n?|\n/)
    .filter((row) => row.trim() !== "")
  // The last one may be cut off.
  if (text.length > SAMPLE_CHARS && rows.length > 1) rows.pop()
  return rows.slice(0, ROWS_LOOKED_AT)
}

/** Share of rows with the commonest number of cells; a bit more for more cells. */
function scoreOf(counts: readonly number[]): number {
  const rowsOf = new Map<number, number>()
  for (const count of counts) if (count > 1) rowsOf.set(count, (rowsOf.get(count) ?? 0) + 1)
  let score = 0
  for (const [cells, rows] of rowsOf) {
    score = Math.max(score, rows / counts.length + Math.min(cells, 50) / 1_000)
  }
  return score
}
