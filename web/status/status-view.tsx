import "./status.css"
import type { CollectionResponse } from "../../functions/http/collection-route.ts"
import type { HealthReport } from "../../lib/health.ts"
import type { ApiFailure } from "../api/api-failure.ts"
import { call } from "../api/call.ts"
import { formatAge, formatTime } from "../parts/format.ts"
import { Failure, Loading } from "../parts/states.tsx"
import { useTitle } from "../parts/use-title.ts"
import { askHealth } from "./ask-health.ts"
import { ComponentList, verdict } from "./components.tsx"
import { Connections } from "./connections.tsx"
import { Failures, Holdings } from "./holdings.tsx"
import { Timings } from "./timings.tsx"
import { type Refreshed, useNow, useRefreshed } from "./use-refreshed.ts"

/** Whether the service is well, what it holds, what went wrong last, and how quick it is. */
export function StatusView() {
  useTitle("Status")
  const health = useRefreshed(askHealth)
  const totals = useRefreshed((signal) => call<CollectionResponse>("/collection", { signal }))
  const refresh = () => {
    health.refresh()
    totals.refresh()
  }
  const isSilent = health.value === undefined && health.failure?.code === "unreachable"
  return (
    <div class="status">
      <StatusHead health={health} refresh={refresh} />
      {isSilent && health.failure ? (
        <Failure failure={health.failure} retry={refresh} />
      ) : (
        <>
          <Part title="Parts" what="The parts of the service are asked" of={health}>
            {({ components }) => (components ? <ComponentList components={components} /> : null)}
          </Part>
          <Part title="What it holds" what="The documents are counted" of={totals}>
            {(value) => <Holdings totals={value} />}
          </Part>
        </>
      )}
      <Timings />
      {totals.value && (
        <section class="status-part">
          <h2>Last failures</h2>
          <Failures totals={totals.value} />
        </section>
      )}
      <Connections version={health.value?.version} />
    </div>
  )
}

interface StatusHeadProps {
  readonly health: Refreshed<HealthReport>
  readonly refresh: () => void
}

function StatusHead({ health: { value, at, failure, isLoading }, refresh }: StatusHeadProps) {
  const now = useNow(5_000)
  const isAway = failure?.code === "unreachable"
  return (
    <header class="status-head">
      <h1>Status</h1>
      <button type="button" class="button" onClick={refresh} aria-busy={isLoading}>
        Refresh
      </button>
      {isAway && value !== undefined && at !== undefined ? (
        <div class="status-away">
          <p class="status-verdict" role="alert">
            {failure.title}
          </p>
          <p>
            What you see was heard at {formatTime(at)}, {formatAge(now - at)}. It is asked again every 15 seconds.
          </p>
        </div>
      ) : (
        <>
          <Verdict report={failure ? undefined : value} />
          <p class="status-quiet">
            {at === undefined
              ? failure
                ? "Nothing was heard yet."
                : "Asking…"
              : `As of ${formatTime(at)}, ${formatAge(now - at)}. Refreshed every 15 seconds.`}
          </p>
        </>
      )}
    </header>
  )
}

function Verdict({ report }: { readonly report: HealthReport | undefined }) {
  const [state, words] = report ? verdict(report) : [undefined, "\u00a0"]
  return (
    <p class="status-verdict" role="status" data-state={state}>
      {words}
    </p>
  )
}

interface PartProps<T> {
  readonly title: string
  /** What is said while it loads. */
  readonly what: string
  readonly of: Refreshed<T>
  readonly children: (value: T) => preact.ComponentChildren
}

/** A part of the page: what was heard last, or why nothing was. */
function Part<T>({ title, what, of: { value, failure, refresh }, children }: PartProps<T>) {
  return (
    <section class="status-part">
      <h2>{title}</h2>
      {value === undefined ? <Nothing what={what} failure={failure} retry={refresh} /> : children(value)}
      {value !== undefined && failure && failure.code !== "unreachable" && (
        <p class="status-stale" role="status">
          Not refreshed: {failure.message}
        </p>
      )}
    </section>
  )
}

interface NothingProps {
  readonly what: string
  readonly failure: ApiFailure | undefined
  readonly retry: () => void
}

function Nothing({ what, failure, retry }: NothingProps) {
  return failure ? <Failure failure={failure} retry={retry} /> : <Loading what={what} lines={2} />
}
