import { runInNewContext } from "node:vm"
import type { Synthesis } from "./synthesis.ts"

interface RoutedRequest {
  readonly uri: string
  /** Host of the origin that it is sent to. */
  readonly host: string | undefined
}

/** Runs the router's CloudFront function, SST's code and ours, on a request for `uri`, with the routes of the synthesis. */
export async function routeRequest({ resources }: Synthesis, uri: string): Promise<RoutedRequest> {
  const inputsOf = (name: string) =>
    resources.filter((resource) => resource.name.endsWith(name)).map(({ inputs }) => inputs)
  const keys = inputsOf("KvKeys").flatMap(({ namespace, entries }) =>
    Object.entries<string>(entries).map(([key, value]) => [`${namespace}:${key}`, value] as const),
  )
  const routes = inputsOf("KvRoutesUpdate")
  const store = new Map<string, string>([
    ...keys,
    [`${routes[0]?.namespace}:routes`, JSON.stringify(routes.map(({ entry }) => entry))],
  ])
  let host: string | undefined
  const cf = {
    kvs: () => ({ get: async (key: string) => store.get(key) ?? Promise.reject(new Error("KeyNotFound")) }),
    updateRequestOrigin: (origin: { domainName: string }) => {
      host = origin.domainName
    },
  }
  const [code = ""] = inputsOf("CloudfrontFunctionRequest").map(({ code }) => code as string)
  const handler = runInNewContext(`${code.replace('import cf from "cloudfront";', "")}; handler`, { cf })
  const request = {
    uri,
    method: "GET",
    headers: { host: { value: "archive.example.org" } },
    querystring: {},
    cookies: {},
  }
  const routed = (await handler({ request })) as { uri: string }
  return { uri: routed.uri, host }
}
