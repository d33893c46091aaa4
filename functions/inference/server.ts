import { AppError } from "../../lib/errors.ts"
import { serveInference } from "./serve-inference.ts"

// The image's other command: the models for any container host.
serveInference().then(
  () => process.exit(0),
  (error: unknown) => {
    const text = error instanceof AppError && error.code !== "internal" ? error.message : (error as Error).stack
    process.stderr.write(`The models can't be served: ${text}\n`)
    process.exit(1)
  },
)
