/** A service's URL without credentials, query and the slash at its end. */
export function placeOfUrl(url: string): string {
  const { origin, pathname } = new URL(url)
  return `${origin}${pathname.replace(/\/+$/, "")}`
}
