/** A tenant or collection as a namespace: itself, where it is printable ASCII; else, and wherever it has `%`, percent-encoded, so that no two share one. */
export function namespaceOf(name: string): string {
  return /^[\x20-\x7e]+$/.test(name) && !name.includes("%") ? name : encodeURIComponent(name)
}

/** Whether `GET /vectors/fetch` can be asked for an id: printable ASCII of at most 512 characters, without spaces. */
export function isFetchable(id: string): boolean {
  return /^[\x21-\x7e]{1,512}$/.test(id)
}
