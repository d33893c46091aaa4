import { afterAll, beforeAll, expect, test } from "vitest"
import { type Served, serve } from "./served.ts"

// What was uploaded is never sent as something that a browser runs.

let served: Served
beforeAll(async () => {
  served = await serve({ environment: { EMBEDDING_MODEL: "none", RERANK_MODEL: "none" }, isMigrated: true })
})
afterAll(() => served.close())

/** Uploads it, waits until it was read, and tells its id. */
async function upload(content: string, name: string): Promise<string> {
  const form = new FormData()
  form.set("id", name)
  form.set("file", new File([content], name))
  expect((await served.send("POST", "/documents", form)).status).toBe(202)
  await served.runtime.ingest.idle()
  return name
}

test.each([
  ["x.html", "<html><body><script>alert(1)</script><p onclick=alert(1)>The ferry.</p></body></html>"],
  [
    "x.svg",
    '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><script>alert(1)</script><text>The ferry.</text></svg>',
  ],
  ["x.xml", '<?xml version="1.0"?><?xml-stylesheet href="javascript:alert(1)"?><a>The ferry.</a>'],
  ["x.md", "# <img src=x onerror=alert(1)>\n\n[The ferry](javascript:alert(1))"],
] as const)("of an uploaded %s no route sends anything that a browser runs", async (name, content) => {
  const id = await upload(content, name)
  const { paths } = (await (await served.send("GET", "/openapi.json")).json()) as {
    paths: Record<string, { get?: object }>
  }
  const asked = Object.entries(paths).filter(([path, { get }]) => get !== undefined && path !== "/answer/graph")
  for (const [path] of asked) {
    const filled = path
      .replace("{id}", id)
      .replace("{table}", "1.csv")
      .replace("{chunk}", "c0001")
      .replace("{page}", "1")
    const answer = await served.send("GET", `${filled}${path.startsWith("/crop") ? "?bbox=0,0,1,1" : ""}`)
    const about = `${filled} ${answer.status}`
    expect(answer.headers.get("content-type"), about).toMatch(
      /^(?:application\/(?:problem\+)?json|text\/csv|image\/(?:png|webp|jpeg))/,
    )
    expect(answer.headers.get("x-content-type-options"), about).toBe("nosniff")
    expect(answer.headers.get("content-security-policy"), about).toContain("sandbox")
  }
})
