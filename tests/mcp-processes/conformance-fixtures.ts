import {
  type CallToolResult,
  type ContentBlock,
  completable,
  fromJsonSchema,
  type McpServer,
  type PromptMessage,
  ResourceTemplate,
  type ServerContext,
} from "@modelcontextprotocol/server"
import * as z from "zod"

/** A picture of one pixel. */
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
/** A sound of no length. */
const WAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA="

const text = (said: string): ContentBlock => ({ type: "text", text: said })
const image: ContentBlock = { type: "image", data: PNG, mimeType: "image/png" }
const resource = (uri: string, mimeType: string, said: string): ContentBlock => ({
  type: "resource",
  resource: { uri, mimeType, text: said },
})

/**
 * What the conformance suite looks for by name, put beside what our server has: so it goes the same way through routes,
 * transports and the SDK as our own tools do.
 */
export function addConformanceFixtures(server: McpServer): McpServer {
  addTools(server)
  addResources(server)
  addPrompts(server)
  return server
}

function addTools(server: McpServer): void {
  const tool = (name: string, run: (context: ServerContext) => CallToolResult | Promise<CallToolResult>) =>
    server.registerTool(name, { description: name }, run)
  tool("test_simple_text", () => ({ content: [text("This is a simple text response for testing.")] }))
  tool("test_image_content", () => ({ content: [image] }))
  tool("test_audio_content", () => ({ content: [{ type: "audio", data: WAV, mimeType: "audio/wav" }] }))
  tool("test_embedded_resource", () => ({
    content: [resource("test://embedded", "text/plain", "An embedded resource.")],
  }))
  tool("test_multiple_content_types", () => ({
    content: [
      text("Multiple content types test:"),
      image,
      resource("test://mixed", "application/json", '{"test":"data"}'),
    ],
  }))
  tool("test_error_handling", () => {
    throw new Error("This tool intentionally returns an error for testing")
  })
  tool("test_tool_with_progress", async ({ mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken
    for (const progress of [0, 50, 100]) {
      if (progressToken === undefined) continue
      await mcpReq.notify({ method: "notifications/progress", params: { progressToken, progress, total: 100 } })
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    return { content: [text("done")] }
  })
  const address = { type: "object", properties: { street: { type: "string" }, city: { type: "string" } } } as const
  const inputSchema = fromJsonSchema({
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    $defs: { address },
    properties: { name: { type: "string" }, address: { $ref: "#/$defs/address" } },
    additionalProperties: false,
  })
  const described = { description: "Tool with JSON Schema 2020-12 features", inputSchema }
  server.registerTool("json_schema_2020_12_tool", described, () => ({ content: [text("done")] }))
}

function addResources(server: McpServer): void {
  server.registerResource("text", "test://static-text", { mimeType: "text/plain" }, ({ href: uri }) => ({
    contents: [{ uri, mimeType: "text/plain", text: "The static text resource." }],
  }))
  server.registerResource("binary", "test://static-binary", { mimeType: "image/png" }, ({ href: uri }) => ({
    contents: [{ uri, mimeType: "image/png", blob: PNG }],
  }))
  const template = new ResourceTemplate("test://template/{id}/data", { list: undefined })
  server.registerResource("template", template, { mimeType: "application/json" }, ({ href: uri }, { id }) => ({
    contents: [{ uri, mimeType: "application/json", text: JSON.stringify({ id, templateTest: true }) }],
  }))
}

function addPrompts(server: McpServer): void {
  const user = (content: ContentBlock): PromptMessage => ({ role: "user", content })
  server.registerPrompt("test_simple_prompt", { description: "simple" }, () => ({
    messages: [user(text("This is a simple prompt for testing."))],
  }))
  const argsSchema = z.object({ arg1: completable(z.string(), () => ["testing"]), arg2: z.string() })
  server.registerPrompt("test_prompt_with_arguments", { description: "arguments", argsSchema }, ({ arg1, arg2 }) => ({
    messages: [user(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`))],
  }))
  const embedding = { description: "embedded", argsSchema: z.object({ resourceUri: z.string() }) }
  server.registerPrompt("test_prompt_with_embedded_resource", embedding, ({ resourceUri }) => ({
    messages: [
      user(resource(resourceUri, "text/plain", "Embedded content.")),
      user(text("Process the resource above.")),
    ],
  }))
  server.registerPrompt("test_prompt_with_image", { description: "image" }, () => ({
    messages: [user(image), user(text("Please analyze the image above."))],
  }))
}
