import { notYet } from "./lambda/not-yet.ts"

/** `POST /answer` and `POST /chat`, which come with a later version. */
export const handler = notYet("answers")
