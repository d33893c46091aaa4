import { createServer, type IncomingMessage, type Server } from "node:http"
import { type AddressInfo, connect } from "node:net"
import { neonConfig } from "@neondatabase/serverless"
import pg from "pg"
import { WebSocketServer } from "ws"

/** What stands where Neon's edge would: HTTP `/sql` and WebSocket `/v2` in front of a PostgreSQL on this machine. */
export interface NeonLocal {
  /** `host:port` of both. */
  readonly address: string
  close(): Promise<void>
}

interface HttpQuery {
  readonly query: string
  readonly params: unknown[]
}

/** The fields of an error that Neon's HTTP endpoint reports beside `message`. */
const ERROR_FIELDS = [
  "severity",
  "code",
  "detail",
  "hint",
  "position",
  "where",
  "schema",
  "table",
  "column",
  "constraint",
  "routine",
]
/** Columns leave as the text that PostgreSQL wrote; the Neon driver parses them itself. */
const RAW_TEXT = { getTypeParser: () => (text: string) => text } as pg.CustomTypesConfig

/** Starts the emulator for the server at `host:port` and points the Neon driver of this process at it. */
export async function startNeonLocal(host: string, port: number): Promise<NeonLocal> {
  const pools = new Map<string, pg.Pool>()
  const server = createServer((request, response) => {
    answerSql(request, pools, host, port).then(
      (result) => response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(result)),
      (error: Record<string, unknown>) => {
        const fields = ERROR_FIELDS.map((field) => [field, error[field] ?? null])
        response.writeHead(400, { "content-type": "application/json" })
        response.end(JSON.stringify({ message: String(error["message"]), ...Object.fromEntries(fields) }))
      },
    )
  })
  const sockets = relayWebSockets(server, host, port)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const edgePort = (server.address() as AddressInfo).port
  pointDriverAt(edgePort)
  return {
    address: `127.0.0.1:${edgePort}`,
    async close() {
      for (const socket of sockets.clients) socket.terminate()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await Promise.all([...pools.values()].map((pool) => pool.end()))
    },
  }
}

async function answerSql(request: IncomingMessage, pools: Map<string, pg.Pool>, host: string, port: number) {
  const url = new URL(String(request.headers["neon-connection-string"]))
  url.host = `${host}:${port}`
  const pool = pools.get(url.href) ?? new pg.Pool({ connectionString: url.href, max: 4 })
  if (!pools.has(url.href))
    pools.set(
      url.href,
      pool.on("error", () => undefined),
    )
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const body = JSON.parse(Buffer.concat(chunks).toString()) as HttpQuery & { queries?: HttpQuery[] }
  const client = await pool.connect()
  try {
    if (!body.queries) return await run(client, body)
    await client.query("begin")
    const results = []
    for (const query of body.queries) results.push(await run(client, query))
    await client.query("commit")
    return { results }
  } catch (error) {
    await client.query("rollback").catch(() => undefined)
    throw error
  } finally {
    // Neon gives every request a fresh session.
    await client.query("discard all").catch(() => undefined)
    client.release()
  }
}

async function run(client: pg.PoolClient, { query, params }: HttpQuery) {
  const result = await client.query({ text: query, values: params, rowMode: "array", types: RAW_TEXT })
  const { fields, rows, command, rowCount } = result
  return { fields, rows, command, rowCount, rowAsArray: true }
}

function relayWebSockets(server: Server, host: string, port: number): WebSocketServer {
  const sockets = new WebSocketServer({ server })
  sockets.on("connection", (socket) => {
    const tcp = connect(port, host).setNoDelay(true)
    socket.on("message", (data) => tcp.write(data as Buffer))
    tcp.on("data", (data) => socket.readyState === socket.OPEN && socket.send(data))
    socket.on("close", () => tcp.destroy()).on("error", () => tcp.destroy())
    tcp.on("close", () => socket.close()).on("error", () => socket.close())
  })
  return sockets
}

function pointDriverAt(port: number): void {
  neonConfig.fetchEndpoint = () => `http://127.0.0.1:${port}/sql`
  neonConfig.wsProxy = () => `127.0.0.1:${port}/v2`
  neonConfig.useSecureWebSocket = false
  neonConfig.pipelineTLS = false
  neonConfig.pipelineConnect = false
}
