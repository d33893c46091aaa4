/** Resolves when the server has closed. The first signal lets requests finish; the second ends the process at once. */
export function stopOnSignal(server: { close(): Promise<void> }): Promise<void> {
  return new Promise((resolve, reject) => {
    let stopping = false
    for (const [signal, status] of [
      ["SIGINT", 130],
      ["SIGTERM", 143],
    ] as const) {
      process.on(signal, () => {
        if (stopping) process.exit(status)
        stopping = true
        server.close().then(resolve, reject)
      })
    }
  })
}
