type Json = Record<string, unknown>

/** What Pinecone's filters mean, after its documentation (Filter by metadata), computed on one record. Throws for what it doesn't allow. */
export function matchesPinecone(filter: Json | undefined, metadata: Json): boolean {
  return Object.entries(filter ?? {}).every(([key, condition]) => {
    if (key === "$and") return (condition as Json[]).every((one) => matchesPinecone(one, metadata))
    if (key === "$or") return (condition as Json[]).some((one) => matchesPinecone(one, metadata))
    if (key.startsWith("$")) throw new Error(`${key} is no operator here`)
    return Object.entries(condition as Json).every(([operator, value]) => holds(operator, value, metadata, key))
  })
}

function holds(operator: string, value: unknown, metadata: Json, key: string): boolean {
  const isThere = Object.hasOwn(metadata, key)
  if (operator === "$exists") return isThere === value
  const stored = isThere ? [metadata[key]].flat() : []
  switch (operator) {
    case "$eq":
      require(["string", "number", "boolean"].includes(typeof value), operator)
      return stored.includes(value)
    case "$in":
      require(Array.isArray(value) &&
        value.every((one) => typeof one === "string" || typeof one === "number"), operator)
      return (value as unknown[]).some((one) => stored.includes(one))
    case "$gt":
    case "$gte":
    case "$lt":
    case "$lte":
      require(typeof value === "number", operator)
      return stored.some((one) => typeof one === "number" && inOrder(operator, one, value as number))
    default:
      throw new Error(`${operator} is no operator here`)
  }
}

function require(isRight: boolean, operator: string): void {
  if (!isRight) throw new Error(`${operator} doesn't take this`)
}

function inOrder(operator: "$gt" | "$gte" | "$lt" | "$lte", a: number, b: number): boolean {
  if (operator === "$gt") return a > b
  if (operator === "$gte") return a >= b
  return operator === "$lt" ? a < b : a <= b
}
