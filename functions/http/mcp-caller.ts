import type { AuthInfo } from "@modelcontextprotocol/server"
import type { Principal } from "../../lib/keys/api-key.ts"

/** Who calls, in the form in which the SDK hands it on. The key itself goes no further than the guard. */
export function authInfoOf(principal: Principal): AuthInfo {
  return { token: "", clientId: principal.id, scopes: [...principal.scopes], extra: { principal } }
}

/** Throws where a server would be made for nobody. */
export function principalOf(authInfo: AuthInfo | undefined): Principal {
  const principal = authInfo?.extra?.["principal"]
  if (!principal) throw new Error("An MCP request came past the guard")
  return principal as Principal
}
