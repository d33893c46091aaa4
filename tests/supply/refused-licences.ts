/** What of a package-lock.json is read. */
export interface Lock {
  readonly packages: Readonly<Record<string, { readonly license?: unknown; readonly link?: boolean }>>
}

/** Licences under which a package may be used here. Not AGPL, GPL, SSPL, BUSL: they would reach our own code or its use. */
const ALLOWED = new Set([
  ...["MIT", "ISC", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "0BSD", "BlueOak-1.0.0", "Zlib", "CC0-1.0"],
  // Asks for the source of changed files of the package itself: none is changed.
  "MPL-2.0",
  // libvips under sharp, a library of its own that is loaded as it is and can be exchanged.
  "LGPL-3.0-or-later",
])

/** Packages that state their licence in no SPDX expression, by what their file LICENSE says. Read anew with each version. */
const READ_BY_HAND: Readonly<Record<string, string>> = {
  duck: "BSD-2-Clause",
  "@modelcontextprotocol/inspector": "Apache-2.0 AND MIT",
}

/** Packages of a lock, those for development too, that may not be used: each with the licence that it states. */
export function refusedLicences({ packages }: Lock): { readonly name: string; readonly licence: string }[] {
  const installed = Object.entries(packages).filter(([path, { link }]) => path !== "" && !link)
  return installed.flatMap(([path, { license }]) => {
    const name = path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length)
    const stated = typeof license === "string" ? license : "unknown"
    const licence = READ_BY_HAND[name] ?? stated
    return isAllowed(licence) ? [] : [{ name, licence }]
  })
}

/** An SPDX expression: of what `OR` joins one must be allowed, of what `AND` joins all. Of nested ones none is. */
function isAllowed(expression: string): boolean {
  const flat = expression.replace(/^\((.*)\)$/, "$1")
  return flat.split(" OR ").some((choice) => choice.split(" AND ").every((licence) => ALLOWED.has(licence)))
}
