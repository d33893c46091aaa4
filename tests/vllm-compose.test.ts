import { execFile } from "node:child_process"
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { parse } from "yaml"
import * as z from "zod"
import { parseConfig } from "../lib/config.ts"

const FOLDER = fileURLToPath(new URL("../deploy/vllm/", import.meta.url))
const Compose = z.object({
  services: z.object({
    vllm: z.object({
      environment: z.record(z.string(), z.string()),
      entrypoint: z.array(z.string()),
      ports: z.array(z.string()),
    }),
  }),
})

/** What Compose makes of `${NAME:-default}` where nothing is set. */
const byDefault = (value: string): string => value.replace(/\$\{\w+:-([^}]*)\}/g, "$1")

let environment: Record<string, string>
let bin: string
beforeAll(async () => {
  const { vllm } = Compose.parse(parse(await readFile(join(FOLDER, "compose.yaml"), "utf8"))).services
  environment = Object.fromEntries(Object.entries(vllm.environment).map(([key, value]) => [key, byDefault(value)]))
  // Strangers can't reach a server that asks for no key.
  expect(vllm.ports.map(byDefault)).toEqual(["127.0.0.1:8000:8000"])
  bin = await mkdtemp(join(tmpdir(), "vllm-"))
  await writeFile(join(bin, "vllm"), '#!/bin/sh\nprintf "%s\\n" "$@"\necho ---\nenv\n')
  await chmod(join(bin, "vllm"), 0o755)
})
afterAll(() => rm(bin, { recursive: true }))

async function served(more: Record<string, string> = {}) {
  const env = { PATH: `${bin}:/usr/bin:/bin`, ...environment, ...more }
  const { stdout } = await promisify(execFile)("/bin/sh", [join(FOLDER, "serve.sh")], { env })
  const [given = "", variables = ""] = stdout.split("---\n")
  return { given: given.trim().split("\n"), variables: variables.trim().split("\n") }
}

test("the compose file starts vLLM with what the answers need", async () => {
  const { given, variables } = await served()
  expect(given).toEqual([
    "serve",
    "Qwen/Qwen2.5-7B-Instruct-AWQ",
    ...["--host", "0.0.0.0", "--port", "8000", "--served-model-name", "qwen2.5-7b-instruct-awq"],
    ...[
      "--gpu-memory-utilization",
      ".80",
      "--max-model-len",
      "8192",
      "--max-num-seqs",
      "32",
      "--kv-cache-dtype",
      "fp8",
    ],
    ...["--enable-prefix-caching", "--enable-prompt-tokens-details"],
    ...["--enable-auto-tool-choice", "--tool-call-parser", "hermes"],
  ])
  expect(variables.join("\n")).not.toMatch(/VLLM_KV_ROLE|VLLM_API_KEY|HF_TOKEN|SIDE_CHANNEL_HOST/)
})

test("it serves the model under the name, and at the place, that the service asks for by default", () => {
  const { vllmModel, vllmBaseUrl } = parseConfig({ USE_VLLM: "true" })
  expect(environment["SERVED_MODEL_NAME"]).toBe(vllmModel)
  expect(vllmBaseUrl).toBe("http://localhost:8000/v1")
})

describe("prefill and decode apart", () => {
  test.each(["kv_producer", "kv_consumer"])("%s is handed to the connector", async (role) => {
    const { given, variables } = await served({ VLLM_KV_ROLE: role, VLLM_API_KEY: "key" })
    const config = given[given.indexOf("--kv-transfer-config") + 1] ?? ""
    expect(JSON.parse(config)).toEqual({ kv_connector: "NixlConnector", kv_role: role })
    expect(variables).toContain("VLLM_API_KEY=key")
  })

  test("another role is an error that says which there are", async () => {
    await expect(served({ VLLM_KV_ROLE: "producer" })).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringContaining("kv_producer, kv_consumer"),
    })
  })
})
