import type { CollectionResponse } from "../../functions/http/collection-route.ts"
import { formatCount, formatDay, formatTime } from "../parts/format.ts"

/** What the collection amounts to. */
export function Holdings({ totals }: { readonly totals: CollectionResponse }) {
  const { documents, passages, pages, waiting, failed } = totals
  const figures = [
    ["Documents", documents],
    ["Passages", passages],
    ["Pages", pages],
    ["Being read", waiting],
    ["Failed", failed],
  ] as const
  return (
    <dl class="holdings">
      {figures.map(([name, count]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{formatCount(count)}</dd>
        </div>
      ))}
    </dl>
  )
}

/** Uploads that failed last, and why. */
export function Failures({ totals: { failed, failures } }: { readonly totals: CollectionResponse }) {
  if (failures.length === 0) return <p class="status-quiet">None: every file that was added could be read.</p>
  return (
    <>
      <ul class="failures">
        {failures.map(({ id, title, error, failed_at }) => (
          <li key={id}>
            <p class="failure-title">{title || id}</p>
            <p class="failure-reason">{error.message || "No reason is known."}</p>
            <p class="failure-fine">
              <time dateTime={failed_at}>
                {formatDay(failed_at)}, {formatTime(Date.parse(failed_at))}
              </time>{" "}
              · <code>{id}</code> · <code>{error.code}</code>
            </p>
          </li>
        ))}
      </ul>
      <p class="status-quiet">
        {failed > failures.length && `The latest ${failures.length} of ${formatCount(failed)}. `}
        <a href="/library?show=failed">Mend them in the library</a>
      </p>
    </>
  )
}
