import { once } from "node:events"
import { type AddressInfo, connect, createServer, type Socket } from "node:net"

/** A port before the server's own, that can be shut as if the server had stopped. */
export async function openDoor(origin: string) {
  const through = new Set<Socket>()
  const server = createServer((visitor) => {
    const inner = connect(Number(new URL(origin).port), "127.0.0.1")
    visitor.pipe(inner).pipe(visitor)
    for (const [socket, other] of [
      [visitor, inner],
      [inner, visitor],
    ] as const) {
      through.add(socket)
      socket.on("error", () => other.destroy())
      socket.on("close", () => {
        through.delete(socket)
        other.destroy()
      })
    }
  })
  const listen = async (port: number) => {
    server.listen(port, "127.0.0.1")
    await once(server, "listening")
    return (server.address() as AddressInfo).port
  }
  const port = await listen(0)
  return {
    origin: `http://127.0.0.1:${port}`,
    /** Whoever asks gets no answer from now on. */
    async shut() {
      const closed = once(server, "close")
      server.close()
      for (const socket of through) socket.destroy()
      await closed
    },
    reopen: () => listen(port),
  }
}
