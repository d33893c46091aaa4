import type { Transport } from "@modelcontextprotocol/server"

/** What waits for a client that doesn't read, bytes; then its stream is ended. */
const UNREAD_BYTES_MAX = 8_000_000

/** One client's stream, and the transport over which the SDK writes to it. */
export interface SseStream {
  readonly transport: Transport
  readonly body: ReadableStream<Uint8Array>
}

interface SseStreamOptions {
  readonly sessionId: string
  /** Where the client sends its messages: the first event says so. */
  readonly endpoint: string
  readonly keepAliveMs: number
}

/** A stream of the transport of 2024-11-05 (HTTP with SSE): everything to the client goes over it, one event a message. */
export function openSseStream({ sessionId, endpoint, keepAliveMs }: SseStreamOptions): SseStream {
  const encoder = new TextEncoder()
  let sink: ReadableStreamDefaultController<Uint8Array> | null = null
  let isOver = false
  const write = (text: string) => {
    if (!sink || isOver) return
    if ((sink.desiredSize ?? 0) < -UNREAD_BYTES_MAX) return end()
    sink.enqueue(encoder.encode(text))
  }
  const keepAlive = setInterval(() => write(": still here\n\n"), keepAliveMs)
  keepAlive.unref()
  const end = () => {
    if (isOver) return
    isOver = true
    clearInterval(keepAlive)
    try {
      sink?.close()
    } catch {
      // The client has ended it already.
    }
    transport.onclose?.()
  }
  const transport: Transport = {
    sessionId,
    start: async () => write(`event: endpoint\ndata: ${endpoint}\n\n`),
    send: async (message) => write(`event: message\ndata: ${JSON.stringify(message)}\n\n`),
    close: async () => end(),
  }
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        sink = controller
      },
      cancel: end,
    },
    new ByteLengthQueuingStrategy({ highWaterMark: 1 }),
  )
  return { transport, body }
}
