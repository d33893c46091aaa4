import * as z from "zod"

/** One part of the service, and how long it took to answer. */
const Component = z.object({
  status: z.enum(["ok", "unhealthy", "absent"]).describe("`absent`: not configured"),
  ms: z.number().optional(),
  name: z.string().optional().describe("Driver or model"),
})

/** Body of `GET /health`; `version` and `components` with `?detail=1` only. */
export const HealthReport = z.object({
  status: z.enum(["ok", "unhealthy"]),
  version: z.string().optional().describe("Of the service, in detail only"),
  components: z
    .object({
      database: Component,
      embedder: Component,
      reranker: Component,
      tenant_models: Component.optional().describe(
        "Models of single tenants that can't be opened here: their searches go by words alone",
      ),
      index: Component.optional().describe("The external index that is searched, where there is one"),
    })
    .optional(),
})
export type HealthReport = z.infer<typeof HealthReport>

/** The components that a report has, by name. */
export function componentsOf({ components }: HealthReport) {
  return Object.entries(components ?? {}).flatMap(([name, component]) => (component ? [{ name, component }] : []))
}

/** Looks at the database, and an external index, alone or, with `detail`, at every component. Never throws. */
export type Health = (detail: boolean) => Promise<HealthReport>
