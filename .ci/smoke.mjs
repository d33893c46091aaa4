// A first start as a new user makes it: `npm start` on a home that is not there yet serves, finds samples in two
// languages, and ends on SIGTERM. Run without a network (.ci/run does), it proves that it needs none. It prints how long
// it took (13 s on two idle cores); the limit only ends a start that hangs.
import { spawn } from "node:child_process"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"

const READY_MS_MAX = 90_000
const STOP_MS_MAX = 10_000
const URL_SERVED = "http://127.0.0.1:3825"

const work = await mkdtemp(join(tmpdir(), "concordance-smoke-"))
let log = ""
const began = performance.now()
// A process group of its own, so that npm, tsx and node can be signalled together.
// biome-ignore lint/style/noProcessEnv: it starts the server as a user's shell would
const env = { ...process.env, CONCORDANCE_HOME: join(work, "home") }
const server = spawn("npm", ["start"], { detached: true, stdio: ["ignore", "pipe", "pipe"], env })
const ended = new Promise((resolve) => server.on("exit", resolve))
for (const stream of [server.stdout, server.stderr]) stream.on("data", (data) => (log += data))

try {
  await untilHealthy()
  say(`/health answered ${Math.round(performance.now() - began)} ms after npm start`)
  await untilSamples()
  await find("Who rescued the crew of the schooner?", /^en\/(harbour-log-storm|lifeboat)/)
  await find("A que horas abre a biblioteca ao sábado?", /^pt\/horario-da-biblioteca$/)
  say("both questions found their documents")
  await untilRead("en/ice-house-report-1936")
  await untilRead("pt/edital-do-sal-1949")
  await find("At what price was ice sold in summer?", /^en\/ice-house-report-1936$/)
  await find("Quanto aguenta a prancha do cais?", /^pt\/edital-do-sal-1949$/)
  say(`both PDFs were read, and found, ${Math.round(performance.now() - began)} ms after npm start`)
  process.kill(-server.pid, "SIGTERM")
  await within(STOP_MS_MAX, ended, "the server did not end on SIGTERM")
  say("it ended on SIGTERM")
} catch (error) {
  say(`FAILED: ${error.message}\n${log}`)
  process.exitCode = 1
} finally {
  try {
    process.kill(-server.pid, "SIGKILL")
  } catch {
    // Ended already.
  }
  await rm(work, { recursive: true, force: true })
}

async function untilHealthy() {
  for (;;) {
    const response = await fetch(`${URL_SERVED}/health`).catch(() => null)
    if (response?.status === 200) return
    if (performance.now() - began > READY_MS_MAX) throw new Error(`/health did not answer within ${READY_MS_MAX} ms`)
    if (server.exitCode !== null) throw new Error(`npm start ended with status ${server.exitCode}`)
    await sleep(100)
  }
}

async function untilSamples() {
  while (!log.includes("sample documents")) {
    if (performance.now() - began > READY_MS_MAX) throw new Error("the samples were not loaded in time")
    await sleep(100)
  }
}

async function untilRead(id) {
  for (;;) {
    const { status, error } = await (await fetch(`${URL_SERVED}/documents/${encodeURIComponent(id)}`)).json()
    if (status === "ready") return
    if (status === "failed") throw new Error(`${id} was not read: ${error?.message}`)
    if (performance.now() - began > READY_MS_MAX) throw new Error(`${id} was not read in time`)
    await sleep(100)
  }
}

async function find(query, expected) {
  const response = await fetch(`${URL_SERVED}/search`, { method: "POST", body: JSON.stringify({ query, top_k: 3 }) })
  const { results = [] } = await response.json()
  const ids = results.map(({ id }) => id)
  if (!ids.some((id) => expected.test(id))) throw new Error(`${query} found ${ids.join(", ") || "nothing"}`)
}

async function within(ms, promise, message) {
  const late = sleep(ms, "late", { ref: false })
  if ((await Promise.race([promise, late])) === "late") throw new Error(message)
}

function say(line) {
  process.stdout.write(`${line}\n`)
}
