import "./upload-list.css"
import { countOf } from "../parts/format.ts"
import { isOnItsWay } from "./upload.ts"
import { clearReady, uploads } from "./upload-queue.ts"
import { UploadRow } from "./upload-row.tsx"

/** The files of this visit and how far each is. */
export function UploadList() {
  const all = uploads.value
  if (all.length === 0) return null
  const ready = all.filter(({ state }) => state.stage === "ready").length
  return (
    <section class="upload-list" aria-labelledby="uploads-title">
      <header>
        <h2 id="uploads-title">Uploads</h2>
        {ready > 0 && (
          <button type="button" class="button-quiet" onClick={clearReady}>
            Clear what is done
          </button>
        )}
      </header>
      <ul>
        {all.map((upload) => (
          <UploadRow key={upload.key} upload={upload} />
        ))}
      </ul>
      <p class="visually-hidden" role="status">
        {told()}
      </p>
    </section>
  )
}

/** Changes with each file that begins or ends, and not with each byte. */
function told(): string {
  const of = (stage: string) => uploads.value.filter(({ state }) => state.stage === stage).length
  const going = uploads.value.filter(isOnItsWay).length
  const parts = [
    [going, "being sent"],
    [of("reading"), "being read"],
    [of("ready"), "ready"],
    [of("failed"), "failed"],
  ] as const
  return parts.flatMap(([count, what]) => (count > 0 ? `${countOf(count, "file")} ${what}` : [])).join(", ")
}
