import { useState } from "preact/hooks"
import { apiKey } from "../api/session.ts"

/** Ways into this server beside this page. */
export function Connections({ version }: { readonly version: string | undefined }) {
  const address = `${location.origin}/mcp`
  return (
    <section class="status-part" aria-labelledby="connections-title">
      <h2 id="connections-title">Connect to it</h2>
      <dl class="connections">
        <div>
          <dt>Version</dt>
          <dd>{version ?? "–"}</dd>
        </div>
        <div>
          <dt>HTTP API</dt>
          <dd>
            <a href="/docs">Reference</a>, <a href="/openapi.json">OpenAPI document</a>
          </dd>
        </div>
        <div>
          <dt>MCP, for assistants</dt>
          <dd>
            <code>{address}</code>
          </dd>
        </div>
      </dl>
      <Snippet text={configuration(address, apiKey.value !== "")} />
    </section>
  )
}

/** What Cursor and clients like it take (docs/mcp.md). The key itself stays where it is. */
function configuration(url: string, needsKey: boolean): string {
  const server = { url, ...(needsKey && { headers: { Authorization: "Bearer cc_…" } }) }
  return JSON.stringify({ mcpServers: { concordance: server } }, null, 2)
}

function Snippet({ text }: { readonly text: string }) {
  const [said, setSaid] = useState("")
  const copy = () => {
    navigator.clipboard.writeText(text).then(
      () => setSaid("Copied"),
      () => setSaid("Not copied: select it by hand"),
    )
  }
  return (
    <figure class="snippet">
      <figcaption>
        <span>Configuration of an MCP client</span>
        <button type="button" class="button-quiet" onClick={copy}>
          Copy
        </button>
        <span role="status" class="snippet-said">
          {said}
        </span>
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard */}
      <pre tabIndex={0}>
        <code>{text}</code>
      </pre>
    </figure>
  )
}
