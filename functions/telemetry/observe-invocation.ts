import { currentActivity, runActivity } from "../../lib/activity.ts"
import type { Log } from "../../lib/log.ts"
import { once } from "../../lib/once.ts"
import type { Telemetry } from "../../lib/telemetry.ts"
import { telemetryEnvironment } from "../environment.ts"
import { openTelemetry } from "./open-telemetry.ts"

let opened: (() => Promise<Telemetry | null>) | undefined

/** One Lambda's invocation: traced where the environment asks for it, and what was noted is sent before it ends. */
export async function observeInvocation<T>(log: Log, work: () => Promise<T>): Promise<T> {
  return observeUntil(log, work, async (result, flush) => {
    await flush()
    return result
  })
}

/** The same for an answer that streams: what is noted until its last byte is sent before that. */
export async function observeStream(log: Log, work: () => Promise<Response>): Promise<Response> {
  return observeUntil(log, work, async (response, flush) => {
    if (response.body) return new Response(response.body.pipeThrough(new TransformStream({ flush })), response)
    await flush()
    return response
  })
}

async function observeUntil<T>(
  log: Log,
  work: () => Promise<T>,
  end: (result: T, flush: () => Promise<void>) => Promise<T>,
): Promise<T> {
  opened ??= once(() => openTelemetry(telemetryEnvironment(), log))
  const telemetry = await opened()
  if (telemetry === null) return work()
  const flush = () => telemetry.flush()
  const result = await runActivity({ ...currentActivity(), telemetry }, work).catch(async (error: unknown) => {
    await flush()
    throw error
  })
  return end(result, flush)
}
