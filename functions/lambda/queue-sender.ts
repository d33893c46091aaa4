import { SendMessageBatchCommand, SQSClient } from "@aws-sdk/client-sqs"
import { messageBody } from "../../lib/documents/ingest/ingest-message.ts"
import { AppError } from "../../lib/errors.ts"

/** What SQS takes at once. */
const BATCH_MAX = 10

/** Sends messages of ours, the ingestion's or others. Throws `storage_unavailable` where the queue doesn't take one. */
export function createQueueSender(queueUrl: string) {
  const sqs = new SQSClient({ useQueueUrlAsEndpoint: true })
  return async (messages: readonly object[], delayS = 0): Promise<void> => {
    for (let i = 0; i < messages.length; i += BATCH_MAX) {
      const Entries = messages.slice(i, i + BATCH_MAX).map((message, at) => ({
        Id: String(at),
        MessageBody: messageBody(message),
        DelaySeconds: delayS,
      }))
      const { Failed = [] } = await sqs.send(new SendMessageBatchCommand({ QueueUrl: queueUrl, Entries }))
      if (Failed.length > 0) {
        throw new AppError(
          "storage_unavailable",
          `The queue did not take ${Failed.length} messages (${Failed[0]?.Code})`,
        )
      }
    }
  }
}
