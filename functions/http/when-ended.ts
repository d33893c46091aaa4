/** The same answer; `done` is called once, when all of it was read, or whoever read it has gone. */
export function whenEnded(response: Response, done: () => void): Response {
  const reader = response.body?.getReader()
  if (!reader) {
    done()
    return response
  }
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const part = await reader.read()
        if (!part.done) return controller.enqueue(part.value)
        done()
        controller.close()
      } catch (error) {
        done()
        controller.error(error)
      }
    },
    async cancel(reason) {
      done()
      await reader.cancel(reason)
    },
  })
  return new Response(body, response)
}
