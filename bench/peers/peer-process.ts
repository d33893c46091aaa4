import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import type { Ask, Reply } from "./run-peer.ts"

/** A peer in a process of its own, asked one thing at a time. */
export interface PeerProcess {
  /** Throws an Error with what the peer said. */
  ask(ask: Ask): Promise<Reply>
  kill(): void
}

const PROGRAM = fileURLToPath(new URL("run-peer.ts", import.meta.url))

/** Starts the process; nothing is open in it yet. */
export function startPeerProcess(): PeerProcess {
  const child: ChildProcess = fork(PROGRAM, {
    execArgv: ["--expose-gc", "--import", "tsx"],
    serialization: "advanced",
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  })
  return {
    async ask(ask) {
      child.send(ask)
      const ended = new AbortController()
      const exit = once(child, "exit", { signal: ended.signal }).then(() => {
        throw new Error("the peer's process ended")
      })
      try {
        const [reply] = (await Promise.race([once(child, "message", { signal: ended.signal }), exit])) as [Reply]
        if (reply.failure !== undefined) throw new Error(reply.failure)
        return reply
      } finally {
        exit.catch(() => {})
        ended.abort()
      }
    },
    kill: () => child.kill(),
  }
}
