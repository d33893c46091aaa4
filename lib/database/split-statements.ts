/** Everything in which a semicolon does not end a statement: strings, quoted names, dollar quotes, comments. */
const OPAQUE =
  /\b[eE]'(?:[^'\\]|\\.|'')*'|'(?:[^']|'')*'|"(?:[^"]|"")*"|(\$(?:[A-Za-z_]\w*)?\$).*?\1|--[^\n]*|\/\*.*?\*\//gsu

/** The statements of an SQL script, in order, without their semicolons. Comments inside comments are not understood. */
export function splitStatements(script: string): string[] {
  const statements: string[] = []
  let start = 0
  // Opaque parts become spaces of the same length, so that the semicolons left stand where statements end.
  const bare = script.replace(OPAQUE, (part) => " ".repeat(part.length))
  for (let end = bare.indexOf(";"); end !== -1; end = bare.indexOf(";", start)) {
    statements.push(script.slice(start, end))
    start = end + 1
  }
  statements.push(script.slice(start))
  return statements
    .map((statement) => statement.trim())
    .filter((statement) => statement.replace(/--[^\n]*|\/\*.*?\*\//gs, "").trim())
}
