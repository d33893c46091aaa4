/**
 * What a model reads of a query: exclusions (`-word`, `-"a phrase"`) would draw it towards what they exclude, and the
 * quotes of a phrase mean nothing to it. The syntax is that of the SQL function `parse_query`. Empty when nothing is left.
 */
export function queryText(query: string): string {
  return query
    .replace(/(^|\s)-("[^"]*"|[^\s"]+)/g, " ")
    .replaceAll('"', " ")
    .trim()
}
