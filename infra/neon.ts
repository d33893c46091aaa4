import { stage } from "./stage.ts"

/**
 * URL of the owner of a Neon project that this stage brings along, through its pooler: a compute of 0.25 CU has 104
 * connections, and each Lambda may hold two. The owner's own sessions leave the pooler out (lib/database/neon.ts).
 */
export function createNeonDatabase(): $util.Output<string> {
  const project = new neon.Project(
    "Database",
    {
      name: `${$app.name}-${$app.stage}`,
      regionId: stage.neonRegion,
      pgVersion: 17,
      ...(stage.neonOrganisation && { orgId: stage.neonOrganisation }),
      // Point-in-time restore: a week in production. Six hours is the longest that the free plan has.
      historyRetentionSeconds: stage.isProduction ? 604_800 : 21_600,
      branch: { name: "main", databaseName: "concordance", roleName: "concordance_owner" },
      defaultEndpointSettings: {
        autoscalingLimitMinCu: 0.25,
        autoscalingLimitMaxCu: 2,
        // 0 is the plan's default, five minutes: a database that nobody asks costs its storage alone.
        suspendTimeoutSeconds: 0,
      },
    },
    // SST's `retain` knows the data of AWS and PlanetScale only.
    { retainOnDelete: stage.isProduction, protect: stage.isProduction },
  )
  return project.connectionUriPooler
}
