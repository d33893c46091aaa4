import "./timings.css"
import { searchTimings } from "../api/search-timings.ts"
import { countOf, formatTime } from "../parts/format.ts"
import { TimingChart } from "./timing-chart.tsx"
import { formatMs, PART_NAMES, PARTS, percentile, type TimingBar, toBar } from "./timing-figures.ts"

/** Searches that have a bar; more would be too thin. */
const BARS_MAX = 40

/** How long the last searches of this tab took. */
export function Timings() {
  const bars = searchTimings.value.slice(-BARS_MAX).map(toBar)
  const totals = bars.map(({ totalMs }) => totalMs)
  const p50 = percentile(totals, 0.5)
  const p95 = percentile(totals, 0.95)
  return (
    <section class="status-part" aria-labelledby="timings-title">
      <h2 id="timings-title">Your last searches</h2>
      {p50 === null || p95 === null ? (
        <p class="status-quiet">
          None in this tab yet. <a href="/">Search for something</a>, and its times stand here.
        </p>
      ) : (
        <>
          <p class="status-quiet">
            {countOf(bars.length, "search", "searches")} of this tab, as this page saw them. Half took at most{" "}
            <strong>{formatMs(p50)}</strong>, 95 of 100 at most <strong>{formatMs(p95)}</strong>.
          </p>
          <TimingChart bars={bars} p50={p50} p95={p95} />
          <ul class="timing-legend" aria-hidden="true">
            {PARTS.filter((part) => bars.some((bar) => bar.parts[part] > 0)).map((part) => (
              <li key={part}>
                <span class="timing-swatch" data-part={part} />
                {PART_NAMES[part]}
              </li>
            ))}
            <li>
              <span class="timing-swatch" data-line="p50" />
              Half
            </li>
            <li>
              <span class="timing-swatch" data-line="p95" />
              95 of 100
            </li>
          </ul>
          <details class="status-more">
            <summary>The same as a table</summary>
            <TimingTable bars={bars} />
          </details>
        </>
      )}
    </section>
  )
}

function TimingTable({ bars }: { readonly bars: readonly TimingBar[] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
    <section class="status-scroll" tabIndex={0} aria-label="Times of the last searches">
      <table class="timing-table">
        <thead>
          <tr>
            <th scope="col">When</th>
            <th scope="col">Total</th>
            {PARTS.map((part) => (
              <th key={part} scope="col">
                {PART_NAMES[part]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {bars.toReversed().map(({ at, totalMs, parts }) => (
            <tr key={`${at} ${totalMs}`}>
              <th scope="row">{formatTime(at)}</th>
              <td>{formatMs(totalMs)}</td>
              {PARTS.map((part) => (
                <td key={part}>{parts[part] === 0 ? "–" : formatMs(parts[part])}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
