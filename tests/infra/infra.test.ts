import { beforeAll, describe, expect, test } from "vitest"
import { webRoute } from "../../functions/http/web-route.ts"
import { apiRoutes, streamedPaths } from "../../infra/routes.ts"
import { parseConfig } from "../../lib/config.ts"
import { statementsOf, tooMuch } from "./policies.ts"
import { routeRequest } from "./route-request.ts"
import type { Synthesis, SynthesisedResource } from "./synthesis.ts"
import { synthesise } from "./synthesise.ts"

/** As the functions have it, which nobody told otherwise. */
const RERANK_TIMEOUT_MS = parseConfig({}).rerankTimeoutMs

let production: Synthesis
let personal: Synthesis
beforeAll(async () => {
  ;[production, personal] = await Promise.all([
    synthesise({ stage: "production", settings: { ALARM_EMAIL: "operator@example.org" } }),
    synthesise({ stage: "ana" }),
  ])
})

function all(synthesis: Synthesis, type: string): readonly SynthesisedResource[] {
  return synthesis.resources.filter((resource) => resource.type === type)
}

function only(synthesis: Synthesis, type: string, name?: string): SynthesisedResource {
  const found = all(synthesis, type).filter((resource) => name === undefined || resource.name === name)
  const [first] = found
  if (!first || found.length > 1) throw new Error(`${found.length} resources are ${type} ${name ?? ""}`)
  return first
}

function lambdas(synthesis: Synthesis) {
  return all(synthesis, "aws:lambda/function:Function")
}

function lambda(synthesis: Synthesis, name: string) {
  return only(synthesis, "aws:lambda/function:Function", `${name}Function`).inputs
}

describe("functions", () => {
  test("are as large and may take as long as here, all on arm64", () => {
    const sizes = lambdas(production).map(({ name, inputs }) => {
      expect(inputs.architectures).toEqual(["arm64"])
      expect(inputs.runtime ?? "image").toBe(inputs.packageType === "Image" ? "image" : "nodejs22.x")
      return `${name.replace("Function", "")} ${inputs.memorySize} MB ${inputs.timeout} s`
    })
    expect(sizes).toMatchInlineSnapshot(`
      [
        "Answer 1024 MB 300 s",
        "Crop 1769 MB 29 s",
        "Documents 1024 MB 29 s",
        "Health 512 MB 10 s",
        "Index 1024 MB 29 s",
        "Inference 6144 MB 60 s",
        "Ingest 3008 MB 300 s",
        "Mcp 1769 MB 300 s",
        "Migrate 1024 MB 900 s",
        "Models 512 MB 29 s",
        "Pages 512 MB 10 s",
        "Search 1024 MB 29 s",
      ]
    `)
  })

  test("of the models run an image by its digest alone: Lambda refuses a tag beside it", () => {
    const { imageUri } = only(production, "aws:lambda/function:Function", "Inference").inputs
    expect(imageUri).toMatch(/@sha256:[0-9a-f]{64}$/)
    expect(imageUri).not.toContain(":latest")
  })

  test("ask the container's reranker for what it reads before RERANK_TIMEOUT_MS", () => {
    const { RERANK_CANDIDATES } = lambda(production, "Search").environment.variables
    // A pair of 256 tokens takes 0.5 s of a core (bench/baselines/m3-shape.json), and a core is 1,769 MB.
    const cores = only(production, "aws:lambda/function:Function", "Inference").inputs.memorySize / 1_769
    expect((Number(RERANK_CANDIDATES) * 500) / cores).toBeLessThan(0.8 * RERANK_TIMEOUT_MS)
  })

  test("of the models run when they are called, as many as there are calls, unless that is set", () => {
    const { inputs } = only(production, "aws:lambda/function:Function", "Inference")
    expect(inputs).not.toHaveProperty("reservedConcurrentExecutions")
    expect(all(production, "aws:lambda/provisionedConcurrencyConfig:ProvisionedConcurrencyConfig")).toEqual([])
  })

  test("behind API Gateway give up before it does, after 30 s", () => {
    const behind = Object.keys(apiRoutes).map((name) => lambda(production, capital(name)).timeout)
    expect(Math.max(...behind)).toBeLessThan(30)
  })

  test("serve no request before the migration of their deploy has run", () => {
    const free = lambdas(production).filter(({ after }) => !after.includes("Migration"))
    expect(free.map(({ name }) => name)).toEqual(["Inference", "MigrateFunction"])
    expect(only(production, "aws:lambda/invocation:Invocation", "Migration").after).toContain("MigrateFunction")
  })

  test("migrate at every deploy, not only when something changed", () => {
    const at = (synthesis: Synthesis) =>
      Date.parse(only(synthesis, "aws:lambda/invocation:Invocation").inputs.triggers.deployedAt)
    expect(Date.now() - at(production)).toBeLessThan(600_000)
  })

  test("are handed what they need and no more", () => {
    const links = production.handlers.map(
      (handler) => `${handler.functionName}: ${Object.keys(handler.links).sort().join(" ")}`,
    )
    expect(links.sort()).toMatchInlineSnapshot(`
      [
        "Answer: Database Inference LlmApiKey SpacesApiKey",
        "Crop: Database ObjectStore",
        "Documents: Database ObjectStore",
        "Health: Database Inference",
        "Index: Database Inference SpacesApiKey",
        "Ingest: Database Inference IngestMessages LlmApiKey ObjectStore SpacesApiKey",
        "Mcp: Database Inference LlmApiKey ObjectStore SpacesApiKey",
        "Migrate: ApiKey Database DatabaseOwner",
        "Models: Database Inference",
        "Pages: ",
        "Search: Database Inference SpacesApiKey",
      ]
    `)
  })

  test("that serve log in as concordance_login; the owner's URL is migrate's alone", () => {
    for (const { functionName, links } of production.handlers) {
      const text = JSON.stringify(links)
      expect(text.includes("owner:"), functionName).toBe(functionName === "Migrate")
      if (links["Database"]) {
        expect(links["Database"]["url"]).toMatch(
          /^postgres:\/\/concordance_login:p{40}@db\.example\.org:5432\/concordance\?sslmode=require$/,
        )
      }
    }
  })

  test("keep no secret in their environment", () => {
    for (const { inputs } of lambdas(production)) {
      const { SST_KEY: _, ...variables } = inputs.environment?.variables ?? {}
      expect(JSON.stringify(variables)).not.toMatch(/postgres|cc_synthesis|p{40}/)
    }
  })

  test("name handlers that export what they say", () => {
    const missing = production.handlers.filter(({ bundleBytes }) => bundleBytes === null).map(({ handler }) => handler)
    expect(missing.sort()).toEqual([])
  })

  test("write to a log group that forgets, like API Gateway", () => {
    const groups = all(production, "aws:cloudwatch/logGroup:LogGroup")
    expect(groups.map(({ inputs }) => inputs.retentionInDays)).toEqual(groups.map(() => 30))
    const written = lambdas(production).map(({ inputs }) => inputs.loggingConfig.logGroup)
    expect(groups.map(({ inputs }) => inputs.name)).toEqual(expect.arrayContaining(written))
  })
})

describe("routes", () => {
  test("of the API each lead to the function of infra/routes.ts, and there are no others", () => {
    const integrations = new Map(
      all(production, "aws:apigatewayv2/integration:Integration").map(({ name, inputs }) => [
        name,
        inputs.integrationUri,
      ]),
    )
    const made = all(production, "aws:apigatewayv2/route:Route").map(({ inputs, after }) => {
      const integration = after.find((name) => integrations.has(name)) ?? ""
      return `${inputs.routeKey} → ${/([A-Z]\w+)Function$/.exec(integrations.get(integration))?.[1]?.toLowerCase()}`
    })
    const meant = Object.entries(apiRoutes).flatMap(([name, routes]) => routes.map((route) => `${route} → ${name}`))
    expect(made.sort()).toEqual(meant.sort())
  })

  test("that stream are Function URLs in streaming mode; no other function has a URL", () => {
    const urls = all(production, "aws:lambda/functionUrl:FunctionUrl").map(({ inputs }) => [
      inputs.functionName,
      inputs.invokeMode,
    ])
    expect(urls).toEqual(
      Object.keys(streamedPaths).map((name) => [`concordance-production-${capital(name)}Function`, "RESPONSE_STREAM"]),
    )
  })

  test("are all behind one domain: the streamed paths, the reading room, and the API for the rest", () => {
    const entries = production.resources
      .filter(({ name }) => name.endsWith("KvRoutesUpdate"))
      .map(({ inputs }) => inputs.entry)
    expect(entries.map((entry: string) => entry.split(",").at(-1)).sort()).toEqual(
      ["/", "/web", ...Object.values(streamedPaths).flat()].sort(),
    )
  })

  test.each([
    ["/docs", "/docs", "api"],
    ["/documents/a%2Fb/pages/1", "/documents/a%252Fb/pages/1", "api"],
    ["/crop/50%25%3F/1", "/crop/50%2525%253F/1", "api"],
    ["/answers", "/answers", "api"],
    // Of no route: it is the API that says so.
    ["/nowhere/at%20all", "/nowhere/at%2520all", "api"],
    ["/asking", "/asking", "api"],
    ["/answer", "/answer", "answer"],
    ["/chat", "/chat", "answer"],
    ["/mcp", "/mcp", "mcp"],
  ])(
    "for %s are asked as %s of %s: the API decodes a path once, so the router encodes it once more",
    async (asked, uri, origin) => {
      const routed = await routeRequest(production, asked)
      expect(routed).toEqual({
        uri,
        host: expect.stringMatching(new RegExp(`^${origin}[a-z]*\\.(execute-api|lambda-url)\\.`)),
      })
      // Decoded by the API, it is the caller's own again.
      if (origin === "api") expect(decodeURIComponent(routed.uri)).toBe(asked)
    },
  )

  test.each([
    ["/", "/web/index.html"],
    ["/ask", "/web/index.html"],
    ["/d/en%2Ftide-tables/p007", "/web/index.html"],
    ["/theme.js", "/web/theme.js"],
    ["/assets/index-1a2b.js", "/web/assets/index-1a2b.js"],
    ["/mark.svg", "/web/mark.svg"],
  ])("for %s are the file %s of the reading room's bucket", async (asked, uri) => {
    expect(await routeRequest(production, asked)).toEqual({
      uri,
      host: expect.stringMatching(/-webassetsbucket\.s3\./),
    })
  })

  test("of the reading room are those that the Node server has", async () => {
    for (const { path } of webRoute("").routes) {
      const asked = path.replace("*", "a%2Fb").replace(/:file.*/, "index-1a2b.js")
      expect((await routeRequest(production, asked)).uri).toMatch(/^\/web\//)
    }
  })

  test("all answer under the content policy of the Node server, and the page may put files into a bucket", async () => {
    const { defaultCacheBehavior, orderedCacheBehaviors } = only(
      production,
      "aws:cloudfront/distribution:Distribution",
    ).inputs
    // One behaviour is every route's: the router chooses among origins within it.
    expect(orderedCacheBehaviors ?? []).toEqual([])
    const policy = only(production, "aws:cloudfront/responseHeadersPolicy:ResponseHeadersPolicy")
    expect(defaultCacheBehavior.responseHeadersPolicyId).toBe(policy.name)
    const { contentSecurityPolicy } = policy.inputs.securityHeadersConfig.contentSecurityPolicy
    const served = await webRoute(".").request("/")
    // And the buckets to which presigned URLs lead.
    expect(contentSecurityPolicy).toBe(
      `${served.headers.get("content-security-policy")} https://*.s3.eu-central-1.amazonaws.com`,
    )
  })

  test("fit into a CloudFront function, which may have 10 kB", () => {
    const code: string = only(production, "aws:cloudfront/function:Function").inputs.code
    expect(Buffer.byteLength(code)).toBeLessThan(10_000)
  })

  test("cache what a key got under that key", () => {
    const { headersConfig, queryStringsConfig } = only(production, "aws:cloudfront/cachePolicy:CachePolicy").inputs
      .parametersInCacheKeyAndForwardedToOrigin
    expect(headersConfig.headers.items).toEqual(expect.arrayContaining(["authorization", "x-api-key"]))
    expect(queryStringsConfig.queryStringBehavior).toBe("all")
  })

  test("are given up later by CloudFront than by what is behind it, and no error is kept", () => {
    const waits = production.resources
      .filter(({ name }) => name.startsWith("RouterRoute") && name.endsWith("KvKeys"))
      .map(({ inputs }) => JSON.parse(inputs.entries.metadata).origin.timeouts.readTimeout)
    const streamed = Object.values(streamedPaths).flat()
    expect(waits.sort()).toEqual([35, ...streamed.map(() => 60)])
    const { customErrorResponses } = only(production, "aws:cloudfront/distribution:Distribution").inputs
    for (const code of [404, 500, 503, 504]) {
      expect(customErrorResponses).toContainEqual({ errorCode: code, errorCachingMinTtl: 0 })
    }
  })

  test("log no path, no query and no address", () => {
    const { format } = only(production, "aws:apigatewayv2/stage:Stage").inputs.accessLogSettings
    expect(Object.values(JSON.parse(format))).toEqual([
      "$context.requestId",
      "$context.routeKey",
      "$context.status",
      "$context.responseLatency",
      "$context.integration.latency",
    ])
  })

  test("are throttled, so that a flood has a price that is known", () => {
    expect(only(production, "aws:apigatewayv2/stage:Stage").inputs.defaultRouteSettings).toEqual({
      throttlingRateLimit: 100,
      throttlingBurstLimit: 200,
    })
  })
})

describe("the queue", () => {
  const queue = () => only(production, "aws:sqs/queue:Queue", "IngestQueueQueue").inputs
  const mapping = () => only(production, "aws:lambda/eventSourceMapping:EventSourceMapping").inputs

  test("shows a message again only after its Lambda must have ended", () => {
    expect(queue().visibilityTimeoutSeconds).toBeGreaterThan(lambda(production, "Ingest").timeout)
    expect(lambda(production, "Ingest").timeout).toBeLessThanOrEqual(300)
  })

  test("gives up after three tries and keeps what failed for two weeks", () => {
    expect(JSON.parse(queue().redrivePolicy)).toEqual({
      deadLetterTargetArn: expect.stringMatching(/IngestDlqQueue$/),
      maxReceiveCount: 3,
    })
    expect(only(production, "aws:sqs/queue:Queue", "IngestDlqQueue").inputs.messageRetentionSeconds).toBe(1_209_600)
    expect(
      JSON.parse(only(production, "aws:sqs/redriveAllowPolicy:RedriveAllowPolicy").inputs.redriveAllowPolicy),
    ).toEqual({
      redrivePermission: "byQueue",
      sourceQueueArns: [expect.stringMatching(/IngestQueueQueue$/)],
    })
  })

  test("tells its messages' outcomes one by one, and bounds how many are worked on", () => {
    expect(mapping()).toMatchObject({
      functionResponseTypes: ["ReportBatchItemFailures"],
      batchSize: 1,
      scalingConfig: { maximumConcurrency: 4 },
    })
    expect(mapping().functionName).toMatch(/IngestFunction$/)
  })

  test("is encrypted, and takes events from this account's bucket alone", () => {
    for (const { inputs } of all(production, "aws:sqs/queue:Queue")) expect(inputs.sqsManagedSseEnabled).toBe(true)
    const sent = statementsOf(production).filter(({ on }) => on === "IngestQueuePolicy")
    expect(sent.map(({ statement }) => statement)).toEqual([
      {
        Effect: "Allow",
        Principal: { Service: ["s3.amazonaws.com"] },
        Action: ["sqs:SendMessage"],
        Resource: [expect.stringMatching(/IngestQueueQueue$/)],
        Condition: {
          ArnEquals: { "aws:SourceArn": ["arn:aws:s3:::concordance-production-objectsbucket"] },
          StringEquals: { "aws:SourceAccount": ["123456789012"] },
        },
      },
    ])
  })

  test("hears of every file that comes or goes under uploads/, delete markers included", () => {
    expect(only(production, "aws:s3/bucketNotification:BucketNotification").inputs.queues).toEqual([
      {
        queueArn: expect.stringMatching(/IngestQueueQueue$/),
        filterPrefix: "uploads/",
        events: ["s3:ObjectCreated:*", "s3:ObjectRemoved:Delete", "s3:ObjectRemoved:DeleteMarkerCreated"],
      },
    ])
  })
})

describe("the bucket", () => {
  test("is private, versioned and encrypted, and speaks TLS alone", () => {
    expect(all(production, "aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock")).toHaveLength(2)
    for (const { inputs } of all(production, "aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock")) {
      expect(inputs).toMatchObject({
        blockPublicAcls: true,
        blockPublicPolicy: true,
        ignorePublicAcls: true,
        restrictPublicBuckets: true,
      })
    }
    expect(only(production, "aws:s3/bucketVersioning:BucketVersioning").inputs.versioningConfiguration.status).toBe(
      "Enabled",
    )
    const { rules } = only(
      production,
      "aws:s3/bucketServerSideEncryptionConfiguration:BucketServerSideEncryptionConfiguration",
    ).inputs
    expect(rules).toEqual([{ applyServerSideEncryptionByDefault: { sseAlgorithm: "AES256" } }])
    const [denied, ...more] = statementsOf(production).filter(({ on }) => on === "ObjectsPolicy")
    expect(more).toEqual([])
    expect(denied?.statement).toMatchObject({
      Effect: "Deny",
      Condition: { Bool: { "aws:SecureTransport": ["false"] } },
    })
  })

  test("takes a presigned PUT from the service's own pages and nothing else from a browser", () => {
    expect(only(production, "aws:s3/bucketCorsConfiguration:BucketCorsConfiguration").inputs.corsRules).toEqual([
      expect.objectContaining({ allowedMethods: ["PUT"], allowedOrigins: ["https://mock.cloudfront.net"] }),
    ])
  })

  test("of the reading room is read by this distribution alone", () => {
    const [allowed, ...more] = statementsOf(production).filter(
      ({ on, statement }) => on === "WebAssetsPolicy" && statement.Effect === "Allow",
    )
    expect(more).toEqual([])
    expect(allowed?.statement).toEqual({
      Effect: "Allow",
      Principal: { Service: ["cloudfront.amazonaws.com"] },
      Action: ["s3:GetObject"],
      Resource: ["arn:aws:s3:::concordance-production-webassetsbucket/*"],
      Condition: { StringEquals: { "AWS:SourceArn": [expect.stringMatching(/^arn:aws:cloudfront:.*RouterCdn/)] } },
    })
  })

  test("forgets old versions after 30 days and uploads that never ended after one", () => {
    const { rules } = only(production, "aws:s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration").inputs
    expect(rules[0]).toMatchObject({
      status: "Enabled",
      noncurrentVersionExpiration: { noncurrentDays: 30 },
      abortIncompleteMultipartUpload: { daysAfterInitiation: 1 },
    })
    // Nothing that is current ever expires.
    expect(JSON.stringify(rules)).not.toMatch(/"(days|date)":/)
  })
})

describe("stages", () => {
  test("production refuses to be removed, and keeps its bucket even then", () => {
    expect(production.app).toEqual({ name: "concordance", removal: "retain", protect: true })
    const bucket = only(production, "aws:s3/bucket:Bucket", "ObjectsBucket")
    expect({ retain: bucket.retain, forceDestroy: bucket.inputs.forceDestroy }).toEqual({
      retain: true,
      forceDestroy: false,
    })
    expect(only(production, "aws:ecr/repository:Repository").inputs.forceDelete).toBe(false)
  })

  test("any other goes without a trace", () => {
    expect(personal.app).toEqual({ name: "concordance", removal: "remove", protect: false })
    const bucket = only(personal, "aws:s3/bucket:Bucket", "ObjectsBucket")
    expect({ retain: bucket.retain, forceDestroy: bucket.inputs.forceDestroy }).toEqual({
      retain: false,
      forceDestroy: true,
    })
  })

  test("production tells its operator of failures; a personal stage tells nobody", () => {
    expect(all(production, "aws:cloudwatch/metricAlarm:MetricAlarm").map(({ name }) => name)).toMatchInlineSnapshot(`
      [
        "ApiErrorRate",
        "DeadLettersWaiting",
        "IngestBehind",
        "IngestErrors",
        "SearchSlow",
        "Throttled",
      ]
    `)
    expect(only(production, "aws:sns/topicSubscription:TopicSubscription").inputs.endpoint).toBe("operator@example.org")
    expect(all(personal, "aws:cloudwatch/metricAlarm:MetricAlarm")).toEqual([])
    expect(only(production, "aws:cloudwatch/metricAlarm:MetricAlarm", "DeadLettersWaiting").inputs).toMatchObject({
      metricName: "ApproximateNumberOfMessagesVisible",
      dimensions: { QueueName: "concordance-production-IngestDlqQueue" },
      comparisonOperator: "GreaterThanThreshold",
      threshold: 0,
    })
  })

  test("and a dashboard are where somebody watches; it shows every function, the queue, its dead letters and the models", () => {
    expect(all(personal, "aws:cloudwatch/dashboard:Dashboard")).toEqual([])
    const { widgets } = JSON.parse(only(production, "aws:cloudwatch/dashboard:Dashboard").inputs.dashboardBody)
    const text = JSON.stringify(widgets)
    const served = lambdas(production).filter(({ name }) => !/^(Migrate|Pages)/.test(name))
    for (const { name } of served) expect(text, name).toContain(name.replace("Function", ""))
    expect(text).toMatch(/IngestQueueQueue/)
    expect(text).toMatch(/IngestDlqQueue/)
    expect(widgets.map(({ properties }: { properties: { title: string } }) => properties.title)).toMatchInlineSnapshot(`
      [
        "Requests, a minute",
        "Time to answer, ms",
        "Errors, a minute",
        "Uploads that wait",
        "Oldest upload that waits, s",
        "Functions: time, p95, ms",
        "Functions: errors",
        "Functions: throttles",
        "Functions: at once",
        "Models: calls and time",
        "Functions: cold starts",
      ]
    `)
  })

  test("no rate of a few requests is an alarm: they are counted from 20 in five minutes on", () => {
    for (const name of ["ApiErrorRate", "SearchSlow"]) {
      const { metricQueries } = only(production, "aws:cloudwatch/metricAlarm:MetricAlarm", name).inputs
      const { expression } = metricQueries.find((query: { returnData?: boolean }) => query.returnData)
      const [, counted] = /^IF\((\w+) >= 20, .+, 0\)$/.exec(expression) ?? []
      expect(metricQueries.find(({ id }: { id: string }) => id === counted).metric).toMatchObject({
        metricName: name === "SearchSlow" ? "Invocations" : "Count",
        stat: "Sum",
        period: 300,
      })
    }
  })

  test("cost nothing by the hour: no network of its own, no address, no server", () => {
    const types = new Set(personal.resources.map(({ type }) => type.split(":").slice(0, 2).join(":").split("/")[0]))
    expect([...types].filter((type) => /^aws:(ec2|rds|ecs|lb|elasticache|opensearch)$/.test(type ?? ""))).toEqual([])
    expect(all(personal, "aws:lambda/provisionedConcurrencyConfig:ProvisionedConcurrencyConfig")).toEqual([])
  })
})

describe("policies", () => {
  test("name single actions on single resources", () => {
    expect(tooMuch(production)).toEqual([])
    expect(tooMuch(personal)).toEqual([])
  })

  test("only Function URLs may be called by anybody; all else by this API alone", () => {
    const open = all(production, "aws:lambda/permission:Permission").filter(({ inputs }) => inputs.principal === "*")
    for (const { inputs } of open) {
      expect(inputs.functionUrlAuthType === "NONE" || inputs.invokedViaFunctionUrl === true).toBe(true)
      expect(inputs.function).toMatch(/(Answer|Mcp)Function$/)
    }
    const closed = all(production, "aws:lambda/permission:Permission").filter(({ inputs }) => inputs.principal !== "*")
    for (const { inputs } of closed) {
      expect(inputs.principal).toBe("apigateway.amazonaws.com")
      expect(inputs.sourceArn).toMatch(/:ApiApi\/\*$/)
    }
  })

  test("are these, to the letter", async () => {
    const lines = statementsOf(production).map(({ on, statement }) => `${on} ${JSON.stringify(statement)}`)
    await expect(`${lines.sort().join("\n")}\n`).toMatchFileSnapshot("./policies.snapshot.txt")
  })
})

function capital(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1)
}
