import { AppError } from "../errors.ts"
import type { KeyScope } from "./api-key.ts"

/** What a caller is told whose key may not do this: a `forbidden` that names the scope. */
export function lacksScope(scope: KeyScope): AppError {
  return new AppError("forbidden", `This needs the scope "${scope}", which the API key does not have`)
}
