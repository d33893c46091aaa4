import { setTimeout as sleep } from "node:timers/promises"
import {
  DeleteMessageBatchCommand,
  GetQueueAttributesCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from "@aws-sdk/client-sqs"
import { type S3SpyEvent, startFauxqs } from "fauxqs"
import type { StartedLambda } from "./start-lambda.ts"

const REGION = "eu-central-1"
/** As infra/queue.ts has it. */
const RECEIVES_MAX = 3
/** How long a message is hidden, s: six minutes there; here just longer than the lease of a job whose process is gone. */
const VISIBILITY_S = 65

/** A bucket and a queue on this machine, with what AWS does between them. */
export interface Cloud {
  readonly bucket: string
  readonly queueUrl: string
  /** For the functions. */
  readonly env: Readonly<Record<string, string>>
  /** Hands messages to the function until `stop`, as an event source mapping with partial batch responses does. */
  deliverTo(lambda: StartedLambda, onDelivery?: (body: string) => void): void
  deadLetters(): Promise<number>
  stop(): Promise<void>
}

/** Starts it: what is put under `uploads/` is told to the queue in S3's words. */
export async function startCloud(): Promise<Cloud> {
  const emulator = await startFauxqs({
    port: 0,
    logger: false,
    host: "127.0.0.1",
    defaultRegion: REGION,
    messageSpies: { bufferSize: 1_000 },
  })
  const endpoint = `http://127.0.0.1:${emulator.port}`
  const credentials = { accessKeyId: "test", secretAccessKey: "test" }
  const sqs = new SQSClient({ region: REGION, endpoint, credentials })
  const bucket = "objects"
  emulator.createBucket(bucket)
  const dead = emulator.createQueue("dead-letters")
  const redrive = JSON.stringify({ deadLetterTargetArn: dead.queueArn, maxReceiveCount: RECEIVES_MAX })
  const attributes = { VisibilityTimeout: String(VISIBILITY_S), RedrivePolicy: redrive }
  const { queueUrl } = emulator.createQueue("ingest", { attributes })
  let sequence = 0
  const notify = (event: S3SpyEvent): void => {
    const body = JSON.stringify(notification(event, ++sequence))
    void sqs.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: body }))
  }
  const { spy } = emulator as unknown as { spy: { addMessage(message: { service: string }): void } }
  const add = spy.addMessage.bind(spy)
  spy.addMessage = (message) => {
    add(message)
    const event = message as S3SpyEvent
    if (event.service === "s3" && event.status === "uploaded" && event.key.startsWith("uploads/")) notify(event)
  }
  let isStopped = false
  let delivering: Promise<void> = Promise.resolve()
  return {
    bucket,
    queueUrl,
    env: { AWS_ENDPOINT_URL: endpoint, AWS_ACCESS_KEY_ID: "test", AWS_SECRET_ACCESS_KEY: "test" },
    deliverTo(lambda, onDelivery = () => undefined) {
      delivering = (async () => {
        while (!isStopped) {
          const receive = new ReceiveMessageCommand({
            QueueUrl: queueUrl,
            MaxNumberOfMessages: 1,
            WaitTimeSeconds: 1,
            MessageSystemAttributeNames: ["All"],
          })
          const { Messages = [] } = await sqs.send(receive)
          for (const message of Messages) onDelivery(message.Body ?? "")
          if (Messages.length > 0) await hand(sqs, queueUrl, lambda, Messages)
          else await sleep(50)
        }
      })()
    },
    async deadLetters() {
      const command = new GetQueueAttributesCommand({
        QueueUrl: dead.queueUrl,
        AttributeNames: ["ApproximateNumberOfMessages"],
      })
      const { Attributes = {} } = await sqs.send(command)
      return Number(Attributes["ApproximateNumberOfMessages"])
    },
    async stop() {
      isStopped = true
      await delivering
      await emulator.stop()
    },
  }
}

/** What the function doesn't name as failed is deleted; of one that broke down, nothing is. */
async function hand(sqs: SQSClient, queueUrl: string, lambda: StartedLambda, messages: readonly Message[]) {
  const Records = messages.map((message) => ({
    messageId: message.MessageId,
    receiptHandle: message.ReceiptHandle,
    body: message.Body,
    attributes: message.Attributes,
    messageAttributes: {},
    md5OfBody: message.MD5OfBody,
    eventSource: "aws:sqs",
    eventSourceARN: "arn:aws:sqs:eu-central-1:123456789012:ingest",
    awsRegion: REGION,
  }))
  const { payload, error } = await lambda.invoke({ Records })
  if (error) return
  const { batchItemFailures } = payload as { batchItemFailures: { itemIdentifier: string }[] }
  const failed = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier))
  const Entries = messages
    .filter(({ MessageId }) => !failed.has(MessageId ?? ""))
    .map(({ ReceiptHandle }, i) => ({ Id: String(i), ReceiptHandle }))
  if (Entries.length > 0) await sqs.send(new DeleteMessageBatchCommand({ QueueUrl: queueUrl, Entries }))
}

/** As S3 writes it: the key form-encoded, the sequencer hexadecimal. */
function notification({ bucket, key }: S3SpyEvent, sequence: number) {
  return {
    Records: [
      {
        eventVersion: "2.1",
        eventSource: "aws:s3",
        awsRegion: REGION,
        eventTime: new Date().toISOString(),
        eventName: "ObjectCreated:Put",
        s3: {
          s3SchemaVersion: "1.0",
          configurationId: "Uploads",
          bucket: { name: bucket, arn: `arn:aws:s3:::${bucket}` },
          object: {
            key: encodeURIComponent(key).replaceAll("%20", "+").replaceAll("%2F", "/"),
            sequencer: sequence.toString(16).toUpperCase().padStart(18, "0"),
          },
        },
      },
    ],
  }
}
