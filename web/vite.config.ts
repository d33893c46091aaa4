import { defineConfig } from "vite"

/** `npm run web:build` writes `web/dist`, which the server, and a bucket behind CloudFront, serve as it is. */
export default defineConfig({
  root: import.meta.dirname,
  // Paths from the root: the page is served under /d/<document> too.
  base: "/",
  build: {
    outDir: "dist",
    emptyOutDir: true,
    target: "es2022",
    // A font or picture inside the style sheet would need `data:` in the content policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  // `npm run web:dev` beside `npm start`.
  server: {
    proxy: Object.fromEntries(
      // A folder of the page is called search too.
      [
        "search(?=\\?|$)",
        "answer",
        "documents",
        "collection",
        "crop",
        "anomalies",
        "entities",
        "health",
        "docs",
        "openapi\\.json",
      ].map((path) => [
        `^/${path}`,
        { target: "http://127.0.0.1:3825", changeOrigin: true, headers: { origin: "http://127.0.0.1:3825" } },
      ]),
    ),
  },
})
