import type { StandardSchemaWithJSON } from "@modelcontextprotocol/server"
import * as z from "zod"

/**
 * A schema as MCP lists it, that lets every value through: arguments and results are checked in `callTool`, once and in our
 * own words. Its JSON Schema is made when it is first listed, and kept: a server lives for one request.
 */
export function listedSchema(schema: z.ZodObject): StandardSchemaWithJSON {
  const json = {
    input: lazily(() => jsonSchemaOf(schema, "input")),
    output: lazily(() => jsonSchemaOf(schema, "output")),
  }
  return {
    "~standard": { version: 1, vendor: "concordance", validate: (value) => ({ value }), jsonSchema: json },
  }
}

function jsonSchemaOf(schema: z.ZodObject, io: "input" | "output"): Record<string, unknown> {
  return z.toJSONSchema(schema, { io, target: "draft-2020-12" }) as Record<string, unknown>
}

function lazily<T>(make: () => T): () => T {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}
