import { api, search } from "./api.ts"
import { ingest } from "./ingest.ts"
import { deadLetters, queue } from "./queue.ts"
import { stage } from "./stage.ts"

// Nobody watches a personal stage, unless its owner asks to.
if (stage.isProduction || stage.alarmEmail) createAlarms()

function createAlarms() {
  const topic = new aws.sns.Topic("Alarms")
  if (stage.alarmEmail) {
    new aws.sns.TopicSubscription("AlarmsByMail", { topic: topic.arn, protocol: "email", endpoint: stage.alarmEmail })
  }
  const alarm = (name: string, args: Omit<aws.cloudwatch.MetricAlarmArgs, "alarmActions" | "comparisonOperator">) =>
    new aws.cloudwatch.MetricAlarm(name, {
      comparisonOperator: "GreaterThanThreshold",
      treatMissingData: "notBreaching",
      alarmActions: [topic.arn],
      okActions: [topic.arn],
      ...args,
    })
  const five = { period: 300, evaluationPeriods: 3, datapointsToAlarm: 2 }

  alarm("DeadLettersWaiting", {
    alarmDescription: "Uploads that failed three times wait in the dead-letter queue: docs/operations.md, Redrive",
    namespace: "AWS/SQS",
    metricName: "ApproximateNumberOfMessagesVisible",
    dimensions: { QueueName: deadLetters.nodes.queue.name },
    statistic: "Maximum",
    period: 60,
    evaluationPeriods: 1,
    threshold: 0,
  })
  alarm("IngestBehind", {
    alarmDescription: "The oldest upload has waited an hour: raise INGEST_WORKERS, or look at the database",
    namespace: "AWS/SQS",
    metricName: "ApproximateAgeOfOldestMessage",
    dimensions: { QueueName: queue.nodes.queue.name },
    statistic: "Maximum",
    threshold: 3_600,
    ...five,
  })
  alarm("IngestErrors", {
    alarmDescription: "Ingest Lambdas end in errors or timeouts",
    namespace: "AWS/Lambda",
    metricName: "Errors",
    dimensions: { FunctionName: ingest.name },
    statistic: "Sum",
    threshold: 5,
    ...five,
  })
  alarm("ApiErrorRate", {
    alarmDescription: "Over 1 % of requests are answered with 5xx, of at least 20 in five minutes",
    metricQueries: [
      { id: "rate", expression: "IF(requests >= 20, 100 * errors / requests, 0)", label: "5xx, %", returnData: true },
      { id: "errors", metric: ofApi("5xx") },
      { id: "requests", metric: ofApi("Count") },
    ],
    evaluationPeriods: 3,
    datapointsToAlarm: 2,
    threshold: 1,
  })
  alarm("SearchSlow", {
    alarmDescription: "One search in twenty takes over 1.5 s, of at least 20 in five minutes",
    metricQueries: [
      { id: "slow", expression: "IF(searches >= 20, p95, 0)", label: "p95, ms", returnData: true },
      { id: "p95", metric: ofSearch("Duration", "p95") },
      { id: "searches", metric: ofSearch("Invocations", "Sum") },
    ],
    evaluationPeriods: 3,
    datapointsToAlarm: 2,
    threshold: 1_500,
  })
  alarm("Throttled", {
    alarmDescription: "Lambda refuses work for want of concurrency: the account's, or what INFERENCE_MAX allows",
    namespace: "AWS/Lambda",
    metricName: "Throttles",
    statistic: "Sum",
    threshold: 0,
    ...five,
  })
}

function ofSearch(metricName: string, stat: string) {
  return { namespace: "AWS/Lambda", metricName, dimensions: { FunctionName: search.name }, stat, period: 300 }
}

function ofApi(metricName: string) {
  return {
    namespace: "AWS/ApiGateway",
    metricName,
    dimensions: { ApiId: api.nodes.api.id },
    stat: "Sum",
    period: 300,
  }
}
