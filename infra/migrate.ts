import { createLambda } from "./create-lambda.ts"
import { database, databaseOwner } from "./database.ts"
import { apiKey } from "./secrets.ts"

const migrate = createLambda("Migrate", {
  handler: "functions/migrate.handler",
  memoryMb: 1_024,
  timeoutSeconds: 900,
  link: [database, databaseOwner, apiKey],
  more: { copyFiles: [{ from: "migrations" }] },
})

/**
 * Runs `migrate` once a deploy. Every other function waits for it, so that no new code meets an old schema; one that
 * fails ends the deploy, and the old code goes on serving.
 */
export const migration = new aws.lambda.Invocation("Migration", {
  functionName: migrate.name,
  input: JSON.stringify({ stage: $app.stage }),
  triggers: { deployedAt: new Date().toISOString() },
})
