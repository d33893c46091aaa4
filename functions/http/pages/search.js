/** Characters of a passage that are shown: its start, or around its first match. */
const PASSAGE_CHARS = 420
const KEY = "concordance-api-key"

const element = (id) => document.getElementById(id)
const form = element("search")
const query = element("query")
const key = element("key")
const status = element("status")
const results = element("results")
const more = element("more")
const submit = form.querySelector("button")

/** Search that is on its way; a newer one aborts it. */
let underway = null
let nextCursor = null

key.value = sessionStorage.getItem(KEY) ?? ""

form.addEventListener("submit", (event) => {
  event.preventDefault()
  const words = query.value.trim()
  if (!words) return
  history.pushState(null, "", `?q=${encodeURIComponent(words)}`)
  find(words)
})
more.addEventListener("click", () => find(query.value.trim(), nextCursor))
addEventListener("popstate", fromAddress)
fromAddress()

/** The address holds the query, so that a search can be linked to and gone back to. */
function fromAddress() {
  const words = new URLSearchParams(location.search).get("q")?.trim()
  query.value = words ?? ""
  if (words) find(words)
}

async function find(words, cursor) {
  underway?.abort()
  const search = new AbortController()
  underway = search
  say("Searching…")
  submit.disabled = more.disabled = true
  if (!cursor) results.replaceChildren()
  more.hidden = !cursor
  try {
    const found = await ask(
      { query: words, strategy: "weighted", highlight: true, ...(cursor && { cursor }) },
      search.signal,
    )
    show(found, Boolean(cursor))
  } catch (error) {
    if (!search.signal.aborted) say(error.message, "wrong")
  } finally {
    if (underway === search) submit.disabled = more.disabled = false
  }
}

async function ask(request, signal) {
  sessionStorage.setItem(KEY, key.value.trim())
  const headers = { "content-type": "application/json", ...(key.value.trim() && { "x-api-key": key.value.trim() }) }
  const response = await fetch("/search", { method: "POST", headers, body: JSON.stringify(request), signal }).catch(
    (error) => {
      throw new Error(signal.aborted ? error.message : "The service does not answer. Is it running?")
    },
  )
  const answer = await response.json().catch(() => ({}))
  if (response.ok) return answer
  if (response.status === 401) {
    element("key-line").hidden = false
    key.focus()
  }
  if (response.status >= 500) throw new Error(`${answer.title ?? "The service failed"} (request ${answer.request_id}).`)
  throw new Error(answer.detail ?? `The service answered ${response.status}.`)
}

function show({ results: hits, next_cursor, degraded = [], warnings = [] }, added) {
  nextCursor = next_cursor
  more.hidden = !next_cursor
  const first = hits.map(toItem)
  results.append(...first)
  const count = results.children.length
  const rest = next_cursor ? "; there are more" : ""
  const summary =
    count === 0
      ? "Nothing found. Try other words, or fewer."
      : `${count === 1 ? "1 result" : `${count} results, best first`}${rest}.`
  say([summary, ...[...degraded, ...warnings].map((note) => `Note: ${note}.`)].join(" "))
  if (added) first[0]?.querySelector("h2").focus()
}

/** Every text goes in as a text node: a document's markup is shown, never run. */
function toItem(hit) {
  const item = document.createElement("li")
  const title = append(item, "h2", hit.title || hit.id)
  title.tabIndex = -1
  item.append(passage(hit))
  const page = hit.page ? `page ${hit.page}` : ""
  append(item, "p", [hit.id, page, `score ${hit.score.toFixed(3)}`].filter(Boolean).join(" · ")).className = "facts"
  return item
}

function passage({ content, highlights = [] }) {
  const marks = [...highlights].sort((a, b) => a.start - b.start)
  const start = Math.max(0, Math.min((marks[0]?.start ?? 0) - 120, content.length - PASSAGE_CHARS))
  const end = Math.min(content.length, start + PASSAGE_CHARS)
  const paragraph = document.createElement("p")
  paragraph.className = "passage"
  let at = start
  if (start > 0) paragraph.append("… ")
  for (const mark of marks) {
    if (mark.start < at || mark.end > end) continue
    paragraph.append(content.slice(at, mark.start))
    append(paragraph, "mark", content.slice(mark.start, mark.end))
    at = mark.end
  }
  paragraph.append(content.slice(at, end))
  if (end < content.length) paragraph.append(" …")
  return paragraph
}

function append(parent, tag, text) {
  const child = document.createElement(tag)
  child.textContent = text
  parent.append(child)
  return child
}

function say(text, kind = "") {
  status.textContent = text
  status.className = kind
}
