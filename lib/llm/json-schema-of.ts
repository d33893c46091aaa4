import * as z from "zod"

/**
 * A schema as JSON Schema: of what it gives, or of what it takes, in which fields with a default may be left out. Without
 * `$schema`: OpenAI's strict mode refuses keywords that it doesn't know.
 */
export function jsonSchemaOf(schema: z.ZodType, io: "output" | "input" = "output"): Record<string, unknown> {
  const { $schema: _, ...shape } = z.toJSONSchema(schema, { io })
  return shape
}
