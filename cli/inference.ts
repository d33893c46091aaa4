import type { Command } from "commander"

interface ServeOptions {
  readonly host?: string
  readonly port?: string
}

export function addInferenceCommand(program: Command): void {
  const inference = program.command("inference").description("the models by themselves, for other processes to call")
  inference
    .command("serve")
    .description("serve /embed, /rerank and /v1/embeddings over HTTP, for EMBED_SERVICE_URL of another process to name")
    .option("--host <host>", "address to listen on (default: HOST); any but a loopback one needs INFERENCE_API_KEY")
    .option("--port <port>", "port to listen on (default: PORT)")
    .action(async ({ host, port }: ServeOptions) => {
      // As in `serve`: from here on Ctrl-C is the server's.
      process.removeAllListeners("SIGINT")
      const { serveInference } = await import("../functions/inference/serve-inference.ts")
      await serveInference({ ...(host && { HOST: host }), ...(port && { PORT: port }) })
    })
}
