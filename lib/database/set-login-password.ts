import type { OwnerDatabase } from "./database.ts"

/** Lets `concordance_login`, which migrations make without a password, log in with this one. */
export async function setLoginPassword(owner: OwnerDatabase, password: string): Promise<void> {
  await owner.session(async (session) => {
    // A utility statement takes no parameters, so the server itself quotes the text.
    const [row] = await session.query<{ statement: string }>(
      "select format('alter role concordance_login password %L', $1::text) as statement",
      [password],
    )
    await session.script(row?.statement ?? "")
  })
}
