import { runServer } from "../../functions/run-server.ts"
import { parseConfig } from "../../lib/config.ts"
import { createLog } from "../../lib/log.ts"

// The Node server in a process of its own, as `npm start` has it, with two questions more that its parent may ask by IPC:
// where it listens, and how much memory it holds after a collection and CPU it has taken.

const log = createLog({ level: "error", write: (line) => process.stderr.write(line) })
// biome-ignore lint/style/noProcessEnv: what the parent says is this process's configuration
const server = await runServer(parseConfig(process.env), log)
await server.samples
process.send?.({ url: server.url })

process.on("message", (asked) => {
  if (asked === "measure") {
    globalThis.gc?.()
    globalThis.gc?.()
    const { user, system } = process.cpuUsage()
    process.send?.({ bytes: process.memoryUsage.rss(), cpuMs: (user + system) / 1_000 })
  } else {
    void server.close().then(() => process.exit(0))
  }
})
