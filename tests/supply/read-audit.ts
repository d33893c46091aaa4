/** What the registry knows of the packages that are deployed. */
export type Audit =
  | { readonly outcome: "ok" }
  | { readonly outcome: "vulnerable"; readonly packages: readonly string[] }
  /** It could not be asked, which is no good news. */
  | { readonly outcome: "skipped"; readonly why: string }

const SERIOUS = new Set(["high", "critical"])

/** Reads what `npm audit --json` printed, whatever its exit status: that is 1 for a finding and for a registry that is down. */
export function readAudit(printed: string): Audit {
  const report = parsed(printed)
  if (typeof report !== "object" || report === null || !("vulnerabilities" in report) || !("metadata" in report)) {
    const why =
      report !== null && typeof report === "object" && "message" in report ? String(report.message) : "no report"
    return { outcome: "skipped", why: `the registry could not be asked (${why.slice(0, 200)})` }
  }
  const found = Object.entries(report.vulnerabilities as Record<string, { readonly severity: string }>)
  const packages = found
    .filter(([, { severity }]) => SERIOUS.has(severity))
    .map(([name, { severity }]) => `${name} (${severity})`)
  return packages.length > 0 ? { outcome: "vulnerable", packages } : { outcome: "ok" }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
