import { api, lambdas } from "./api.ts"
import { inference } from "./inference.ts"
import { ingest } from "./ingest.ts"
import { deadLetters, queue } from "./queue.ts"
import { stage } from "./stage.ts"

// Where alarms are: a dashboard costs 3 USD a month after an account's first three.
if (stage.isProduction || stage.alarmEmail) createDashboard()

type Metric = readonly [namespace: string, name: string, ...dimensions: $util.Input<string>[]]

interface Line {
  readonly metric: Metric
  readonly stat: string
  readonly label: string
}

/** One page of what to look at first: requests, failures, waiting uploads, functions, models. */
function createDashboard() {
  const region = aws.getRegionOutput({}).region
  const functions = { ...lambdas, ingest }
  const names = Object.entries(functions).map(([label, { name }]) => ({ label, name }))
  if (inference) names.push({ label: "inference", name: inference.name })
  const each = (metric: string, stat: string): Line[] =>
    names.map(({ label, name }) => ({ metric: ["AWS/Lambda", metric, "FunctionName", name], stat, label }))
  const widgets = [
    graph("Requests, a minute", [ofApi("Count", "Sum", "requests")]),
    graph("Time to answer, ms", [ofApi("Latency", "p50", "p50"), ofApi("Latency", "p95", "p95")]),
    graph("Errors, a minute", [
      ofApi("4xx", "Sum", "4xx, refusals of the throttle among them"),
      ofApi("5xx", "Sum", "5xx"),
    ]),
    graph("Uploads that wait", [
      ofQueue(queue, "ApproximateNumberOfMessagesVisible", "waiting"),
      ofQueue(queue, "ApproximateNumberOfMessagesNotVisible", "worked on"),
      ofQueue(deadLetters, "ApproximateNumberOfMessagesVisible", "dead letters"),
    ]),
    graph("Oldest upload that waits, s", [ofQueue(queue, "ApproximateAgeOfOldestMessage", "age")]),
    graph("Functions: time, p95, ms", each("Duration", "p95")),
    graph("Functions: errors", each("Errors", "Sum")),
    graph("Functions: throttles", each("Throttles", "Sum")),
    graph("Functions: at once", each("ConcurrentExecutions", "Maximum")),
    ...(inference ? [graph("Models: calls and time", modelLines(inference.name))] : []),
  ].map((widget) => ({ ...widget, properties: { ...widget.properties, region } }))
  const cold = coldStarts([...Object.keys(functions), ...(inference ? ["inference"] : [])])
  new aws.cloudwatch.Dashboard("Dashboard", {
    dashboardName: `${$app.name}-${$app.stage}`,
    dashboardBody: $jsonStringify({ widgets: [...widgets, { ...cold, properties: { ...cold.properties, region } }] }),
  })
}

function graph(title: string, lines: readonly Line[]) {
  const metrics = lines.map(({ metric, stat, label }) => [...metric, { stat, label }])
  return {
    type: "metric",
    width: 12,
    height: 6,
    properties: { title, view: "timeSeries", period: 60, metrics },
  } as const
}

/** No metric of Lambda's tells of its cold starts, only the last line of each invocation in its log. */
function coldStarts(names: readonly string[]) {
  const groups = names.map((name) => `SOURCE '/aws/lambda/${$app.name}-${$app.stage}-${capital(name)}'`).join(" | ")
  const query = `${groups} | filter @type = "REPORT" and ispresent(@initDuration)
    | stats count() as starts, max(@initDuration) as slowest_ms by bin(5m)`
  return {
    type: "log",
    width: 12,
    height: 6,
    properties: { title: "Functions: cold starts", view: "timeSeries", query },
  } as const
}

function modelLines(name: $util.Input<string>): Line[] {
  const line = (metric: string, stat: string, label: string): Line => ({
    metric: ["AWS/Lambda", metric, "FunctionName", name],
    stat,
    label,
  })
  return [
    line("Invocations", "Sum", "calls"),
    line("Duration", "p50", "p50, ms"),
    line("Duration", "p95", "p95, ms"),
    line("Throttles", "Sum", "throttles"),
  ]
}

function ofApi(metric: string, stat: string, label: string): Line {
  return { metric: ["AWS/ApiGateway", metric, "ApiId", api.nodes.api.id], stat, label }
}

function ofQueue({ nodes }: sst.aws.Queue, metric: string, label: string): Line {
  return { metric: ["AWS/SQS", metric, "QueueName", nodes.queue.name], stat: "Maximum", label }
}

function capital(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1)
}
