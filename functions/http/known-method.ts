const METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])

/** A request's method for logs and measurements: any other is the caller's own word, and becomes OpenTelemetry's `_OTHER`. */
export function knownMethod(method: string): string {
  return METHODS.has(method) ? method : "_OTHER"
}
