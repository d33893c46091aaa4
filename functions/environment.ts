import { fileURLToPath } from "node:url"
import { type Config, type EnvironmentRecord, parseConfig } from "../lib/config.ts"

/** The settings of this process. The one file that reads `process.env`: everything else is handed its settings. */
export function configFromEnvironment(more: EnvironmentRecord = {}): Config {
  return parseConfig({ ...process.env, ...more })
}

/** OpenTelemetry's standard variables, most of which its SDK reads by itself, and the name of the Lambda that this may be. */
export function telemetryEnvironment(): EnvironmentRecord {
  const isOne = (key: string) => key.startsWith("OTEL_") || key === "AWS_LAMBDA_FUNCTION_NAME"
  return Object.fromEntries(Object.entries(process.env).filter(([key]) => isOne(key)))
}

/** Folder of the function's code and of the files copied beside it; this folder's parent where it isn't a Lambda. */
export const taskRoot = (): string => process.env["LAMBDA_TASK_ROOT"] ?? fileURLToPath(new URL("..", import.meta.url))

/** What AWS gives a Lambda: where it runs, and the credentials of its role. */
export function awsEnvironment() {
  const { AWS_REGION, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, AWS_ENDPOINT_URL } = process.env
  return {
    region: AWS_REGION ?? "us-east-1",
    /** Of an emulator. */
    endpoint: AWS_ENDPOINT_URL,
    credentials: {
      accessKeyId: AWS_ACCESS_KEY_ID ?? "",
      secretAccessKey: AWS_SECRET_ACCESS_KEY ?? "",
      sessionToken: AWS_SESSION_TOKEN,
    },
  }
}
