import { AppError } from "../../lib/errors.ts"
import { failingApp } from "../http/failing-app.ts"
import { asStreamHandler } from "./http-handler.ts"
import { lambdaConfig, lambdaLog } from "./opening.ts"

/** The function of a route that this version doesn't have. */
export function notYet(what: string) {
  const error = new AppError("not_found", `This version has no ${what} yet`)
  return asStreamHandler(failingApp(lambdaLog(lambdaConfig()), error))
}
