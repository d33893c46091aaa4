/// <reference path="./.sst/platform/config.d.ts" />

export default $config({
  app(input) {
    const isProduction = input.stage === "production"
    return {
      name: "concordance",
      home: "aws",
      version: "4.17.1",
      // `retain` keeps the bucket, and `protect` refuses `sst remove`.
      removal: isProduction ? "retain" : "remove",
      protect: isProduction,
      // Pinned, so that a deploy next year plans what this one did.
      providers: {
        aws: {
          version: "7.20.0",
          region: (process.env["AWS_REGION"] ?? "eu-central-1") as aws.Region,
          defaultTags: { tags: { "concordance:stage": input.stage } },
        },
        random: "4.16.7",
        "docker-build": "0.0.14",
        ...(process.env["NEON_API_KEY"] ? { neon: "0.13.0" } : {}),
      },
    }
  },
  async run() {
    // In the order in which things come to be; each file names what it stands on.
    await import("./infra/database.ts")
    await import("./infra/migrate.ts")
    const { router } = await import("./infra/router.ts")
    const { bucket } = await import("./infra/storage.ts")
    const { queue, deadLetters } = await import("./infra/queue.ts")
    await import("./infra/inference.ts")
    await import("./infra/ingest.ts")
    const { api } = await import("./infra/api.ts")
    await import("./infra/web.ts")
    await import("./infra/alarms.ts")
    await import("./infra/dashboard.ts")
    return {
      url: router.url,
      api: api.url,
      bucket: bucket.name,
      queue: queue.url,
      deadLetters: deadLetters.url,
    }
  },
})
