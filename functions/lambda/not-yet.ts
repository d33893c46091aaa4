import { AppError } from "../../lib/errors.ts"
import { streamedHandler } from "./http-handler.ts"

/** The function of a route that this version doesn't have. */
export function notYet(what: string) {
  return streamedHandler((app) => {
    app.all("*", () => {
      throw new AppError("not_found", `This version has no ${what} yet`)
    })
  })
}
