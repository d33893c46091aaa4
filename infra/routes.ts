/** Which function of infra/api.ts and infra/web.ts answers which routes of the HTTP API. The one table of it. */
export const apiRoutes = {
  search: ["POST /search", "POST /feedback"],
  index: ["POST /index", "POST /index/batch"],
  health: ["GET /health", "GET /health/live", "GET /health/ready"],
  crop: ["GET /crop/{id}/{page}", "GET /documents/{id}/pages/{page}/image"],
  documents: [
    "POST /documents",
    "GET /documents",
    "GET /collection",
    "GET /usage",
    "GET /documents/{id}",
    "DELETE /documents/{id}",
    "GET /documents/{id}/pages",
    "GET /documents/{id}/pages/{page}",
    "GET /documents/{id}/chunks",
    "GET /documents/{id}/chunks/{chunk}",
    "GET /documents/{id}/tables/{table}",
    "GET /anomalies",
    "GET /entities",
    "GET /entities/{id}/mentions",
  ],
  models: ["POST /embed", "POST /rerank", "POST /v1/embeddings"],
  // `$default` is every other route: unknown ones get the service's own 404.
  pages: ["GET /docs", "GET /docs/{file}", "GET /docs/", "GET /openapi.json", "$default"],
} as const satisfies Record<string, readonly string[]>

/** Which function answers which paths by a Function URL, because API Gateway's HTTP APIs don't stream. */
export const streamedPaths = {
  answer: ["/answer", "/chat"],
  // Beside it what says how it is opened (RFC 9728), for it and for its path.
  mcp: ["/mcp", "/.well-known/oauth-protected-resource"],
} as const satisfies Record<string, readonly string[]>

/**
 * What the router's CloudFront function does to a request before it looks for its origin. Addresses of the reading room are
 * files under `/web`, each of its views the one page (functions/http/web-route.ts). Any other path is encoded once more, since
 * API Gateway decodes it once: the caller's own arrives, and `/documents/a%2Fb` is one document. Function URLs decode
 * nothing, but none of their paths has a `%`.
 */
export const rewriteRequest = `
var uri = event.request.uri;
event.request.uri = /^\\/(?:(?:ask|library|status)?$|d\\/)/.test(uri) ? "/web/index.html"
  : /^\\/(?:assets\\/|mark\\.svg$|theme\\.js$)/.test(uri) ? "/web" + uri
  : uri.replace(/%/g, "%25");
`
