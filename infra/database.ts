import { createNeonDatabase } from "./neon.ts"
import { stage } from "./stage.ts"

/**
 * URL of the database's owner: of the Neon project that this stage makes, else the secret `DatabaseUrl`. One server (or
 * Neon branch) a stage: roles belong to the server, and each stage sets the password of `concordance_login`.
 */
const ownerUrl = stage.usesNeonProvider ? createNeonDatabase() : new sst.Secret("DatabaseUrl").value

/** Letters and digits alone, so that it stands in a URL as it is. 40 of them are 238 bits. */
const loginPassword = new random.RandomPassword("DatabaseLoginPassword", {
  length: 40,
  special: false,
  keepers: { round: stage.databasePasswordRound },
})

/** What serves requests logs in as `concordance_login`, which owns nothing: `migrate` gives it this password. */
export const database = new sst.Linkable("Database", {
  properties: { url: $resolve([ownerUrl, loginPassword.result]).apply(([url, password]) => asLogin(url, password)) },
})

/** The owner's way in. Of `migrate` alone. */
export const databaseOwner = new sst.Linkable("DatabaseOwner", { properties: { url: ownerUrl } })

function asLogin(ownerUrl: string, password: string): string {
  if (!/^postgres(ql)?:\/\//.test(ownerUrl) || !URL.canParse(ownerUrl)) {
    throw new Error("DatabaseUrl must look like postgres://user:password@host:5432/name, special characters escaped")
  }
  const url = new URL(ownerUrl)
  url.username = "concordance_login"
  url.password = password
  return url.href
}
