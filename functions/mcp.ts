import { notYet } from "./lambda/not-yet.ts"

/** `/mcp`, which comes with a later version. */
export const handler = notYet("MCP")
