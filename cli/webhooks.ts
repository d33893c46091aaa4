import { type Command, InvalidArgumentError, Option } from "commander"
import type {
  WebhookDelivery,
  WebhookEndpoint,
  WebhookEndpoints,
  WebhookEvent,
} from "../lib/webhooks/webhook-endpoints.ts"
import { CommandFailed } from "./exit.ts"
import type { Terminal } from "./terminal.ts"

const EVENTS = ["document.ready", "document.failed", "document.deleted"] as const satisfies readonly WebhookEvent[]

const STILL_WAITS =
  "It waits, and no timer looks at it: the tenant's next event takes it along once it is due, and so does the next start of a " +
  "server. To send it now: concordance webhooks replay <delivery>"

interface AddOptions {
  readonly tenant: string
  readonly event: readonly WebhookEvent[]
  readonly json?: true
}

interface Json {
  readonly json?: true
}

export function addWebhooksCommand(program: Command, terminal: Terminal): void {
  const webhooks = program
    .command("webhooks")
    .description("tell other systems that uploads are ready, failed or deleted; their hosts stand in WEBHOOK_HOSTS")
  webhooks
    .command("add")
    .description("register an address for a tenant's events, and print its secret, this once")
    .argument("<url>", "https://, on a host of WEBHOOK_HOSTS")
    .requiredOption("--tenant <name>", "whose documents it hears of")
    .addOption(
      new Option("--event <event>", "what it hears of; repeat it for more (default: everything)")
        .choices(EVENTS)
        .argParser(collectEvent)
        .default([]),
    )
    .option("--json", "print the endpoint and the secret as JSON")
    .action((url: string, options: AddOptions) => add(url, options, terminal))
  webhooks
    .command("list")
    .description("print all endpoints; their secrets are not shown again")
    .option("--tenant <name>", "whose (default: everybody's)")
    .option("--json", "print them as JSON")
    .action((options: Json & { readonly tenant?: string }) => list(options, terminal))
  webhooks
    .command("remove")
    .description("forget an endpoint, and what waits for it")
    .argument("<id>", "as `webhooks list` prints it")
    .action((id: string) => remove(id, terminal))
  webhooks
    .command("test")
    .description("send the event webhook.test to an endpoint now, and print what came of it")
    .argument("<id>", "as `webhooks list` prints it")
    .action((id: string) => sendNow((endpoints) => endpoints.test(id), terminal))
  webhooks
    .command("deliveries")
    .description("print the latest deliveries: attempts, status of the last one, when the next follows")
    .option("--endpoint <id>", "to this one alone")
    .option("--limit <n>", "how many, at most 1000", parseLimit, 50)
    .option("--json", "print them as JSON")
    .action((options: Json & { readonly endpoint?: string; readonly limit: number }) => deliveries(options, terminal))
  webhooks
    .command("replay")
    .description("send a delivery once more, under the same webhook-id")
    .argument("<id>", "as `webhooks deliveries` prints it")
    .action((id: string) => sendNow((endpoints) => endpoints.replay(id), terminal))
}

function collectEvent(value: string, before: readonly WebhookEvent[]): readonly WebhookEvent[] {
  const event = EVENTS.find((each) => each === value)
  if (!event) throw new InvalidArgumentError(`One of ${EVENTS.join(", ")}.`)
  return [...before, event]
}

function parseLimit(value: string): number {
  const limit = Number(value)
  if (!Number.isInteger(limit) || limit < 1 || limit > 1_000) throw new InvalidArgumentError("From 1 to 1000.")
  return limit
}

async function withEndpoints<T>(work: (endpoints: WebhookEndpoints) => Promise<T>): Promise<T> {
  const { configFromEnvironment } = await import("../functions/environment.ts")
  const { createWebhookEndpoints } = await import("../lib/webhooks/webhook-endpoints.ts")
  const { withOwner } = await import("./with-runtime.ts")
  return withOwner((owner) => work(createWebhookEndpoints(owner, configFromEnvironment().webhookHosts)))
}

async function add(url: string, { tenant, event, json }: AddOptions, terminal: Terminal): Promise<void> {
  const added = await withEndpoints((all) => all.add({ tenant, url, events: event.length > 0 ? event : EVENTS }))
  if (json) {
    terminal.line(JSON.stringify(added, null, 2))
    return
  }
  terminal.line(added.secret)
  terminal.note(`${describeEndpoint(added.endpoint)}\nThis is the only time the secret is shown.`)
}

async function list({ tenant, json }: Json & { readonly tenant?: string }, terminal: Terminal): Promise<void> {
  const endpoints = await withEndpoints((all) => all.list(tenant))
  if (json) terminal.line(JSON.stringify(endpoints, null, 2))
  else for (const endpoint of endpoints) terminal.line(describeEndpoint(endpoint))
  if (!json && endpoints.length === 0) terminal.note("There are none. Make one with: concordance webhooks add <url>")
}

async function remove(id: string, terminal: Terminal): Promise<void> {
  if (await withEndpoints((all) => all.remove(id))) return terminal.line(`Removed ${id}.`)
  terminal.note(`Error: there is no endpoint ${id}. See: concordance webhooks list`)
  throw new CommandFailed()
}

async function deliveries(
  { endpoint: endpointId, limit, json }: Json & { readonly endpoint?: string; readonly limit: number },
  terminal: Terminal,
): Promise<void> {
  const found = await withEndpoints((all) => all.deliveries({ endpointId, limit }))
  if (json) terminal.line(JSON.stringify(found, null, 2))
  else for (const delivery of found) terminal.line(describeDelivery(delivery))
  if (!json && found.length === 0) terminal.note("Nothing was sent, and nothing waits.")
}

/** Queues one and sends what is due of its tenant's. What fails stays queued, and nobody looks at it for its own sake. */
async function sendNow(
  queue: (endpoints: WebhookEndpoints) => Promise<WebhookDelivery>,
  terminal: Terminal,
): Promise<void> {
  const { createWebhookEndpoints } = await import("../lib/webhooks/webhook-endpoints.ts")
  const { openWebhooks } = await import("../lib/runtime/open-webhooks.ts")
  const { withStores } = await import("./with-stores.ts")
  const after = await withStores(terminal, async ({ database, owner, config, log }) => {
    const endpoints = createWebhookEndpoints(owner, config.webhookHosts)
    const queued = await queue(endpoints)
    await openWebhooks(config, database, log)(queued.tenant, terminal.signal)
    return (await endpoints.delivery(queued.id)) ?? queued
  })
  terminal.line(describeDelivery(after))
  if (after.state === "pending") terminal.note(STILL_WAITS)
  if (after.state !== "delivered") throw new CommandFailed()
}

function describeEndpoint({ id, tenant, url, events, pending, disabledAt }: WebhookEndpoint): string {
  const facts = [
    `tenant ${tenant}`,
    events.join(", "),
    `${pending} waiting`,
    ...(disabledAt === null ? [] : [`disabled ${disabledAt}: it answered 410`]),
  ]
  return `${id}  ${url}\n    ${facts.join("; ")}`
}

function describeDelivery(delivery: WebhookDelivery): string {
  const { id, endpointId, tenant, event, documentId, state, attempts, lastStatus, lastError, nextAttemptAt } = delivery
  const facts = [
    `tenant ${tenant}`,
    `to ${endpointId}`,
    ...(documentId === null ? [] : [`document ${documentId}`]),
    `${attempts} ${attempts === 1 ? "attempt" : "attempts"}`,
    ...(lastStatus === null ? [] : [`status ${lastStatus}`]),
    ...(lastError === null ? [] : [lastError]),
    ...(nextAttemptAt === null ? [] : [`next at ${nextAttemptAt}`]),
  ]
  return `${id}  ${event}  ${state}\n    ${facts.join("; ")}`
}
