import { bucket } from "./storage.ts"

/** Longest that one message may keep its Lambda, seconds. A message is one file, or some pages of one. */
export const INGEST_TIMEOUT_SECONDS = 300

const encrypted = (args: aws.sqs.QueueArgs) => {
  args.sqsManagedSseEnabled = true
}

/** What was tried three times without success waits here for two weeks, the longest that SQS keeps anything. */
export const deadLetters = new sst.aws.Queue("IngestDlq", {
  transform: {
    queue: (args) => {
      encrypted(args)
      args.messageRetentionSeconds = 1_209_600
    },
  },
})

/** Events of `uploads/`, and the messages into which `ingest` splits a long file. */
export const queue = new sst.aws.Queue("IngestQueue", {
  // A minute above the Lambda's timeout: below it a message would be worked on twice. AWS recommends six times the timeout
  // because of throttled polls; `maximumConcurrency` keeps SQS from polling what can't run.
  visibilityTimeout: `${INGEST_TIMEOUT_SECONDS + 60} seconds`,
  dlq: { queue: deadLetters.arn, retry: 3 },
  transform: {
    queue: (args) => {
      encrypted(args)
      args.messageRetentionSeconds = 1_209_600
    },
  },
})

new aws.sqs.RedriveAllowPolicy("IngestDlqSource", {
  queueUrl: deadLetters.url,
  redriveAllowPolicy: $jsonStringify({ redrivePermission: "byQueue", sourceQueueArns: [queue.arn] }),
})

// SST's `bucket.notify` would let S3, SNS and EventBridge of any account send.
const sendPolicy = new aws.sqs.QueuePolicy("IngestQueuePolicy", {
  queueUrl: queue.url,
  policy: aws.iam.getPolicyDocumentOutput({
    statements: [
      {
        principals: [{ type: "Service", identifiers: ["s3.amazonaws.com"] }],
        actions: ["sqs:SendMessage"],
        resources: [queue.arn],
        conditions: [
          { test: "ArnEquals", variable: "aws:SourceArn", values: [bucket.arn] },
          {
            test: "StringEquals",
            variable: "aws:SourceAccount",
            values: [aws.getCallerIdentityOutput({}).accountId],
          },
        ],
      },
    ],
  }).json,
})

new aws.s3.BucketNotification(
  "Uploads",
  {
    bucket: bucket.name,
    queues: [
      {
        queueArn: queue.arn,
        filterPrefix: "uploads/",
        events: ["s3:ObjectCreated:*", "s3:ObjectRemoved:Delete", "s3:ObjectRemoved:DeleteMarkerCreated"],
      },
    ],
  },
  { dependsOn: [sendPolicy] },
)

/** The queue's address for handlers. It grants nothing: linking the queue itself would grant `sqs:*`. */
export const ingestQueue = new sst.Linkable("IngestMessages", { properties: { url: queue.url } })
