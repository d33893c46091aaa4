import { useEffect, useRef, useState } from "preact/hooks"
import { formatMs, PARTS, scaleOf, type TimingBar } from "./timing-figures.ts"

const HEIGHT = 200
const LEFT = 52
const BOTTOM = 22
const TOP = 10
const BARS_MIN = 12

interface TimingChartProps {
  readonly bars: readonly TimingBar[]
  readonly p50: number
  readonly p95: number
}

/** A bar a search, oldest first, of the parts that its time went into. The table beside it says the same. */
export function TimingChart({ bars, p50, p95 }: TimingChartProps) {
  const { top, marks } = scaleOf(Math.max(...bars.map(({ totalMs }) => totalMs)))
  const y = (ms: number) => TOP + (HEIGHT - TOP - BOTTOM) * (1 - ms / top)
  const svg = useRef<SVGSVGElement>(null)
  const width = useWidth(svg)
  const slot = (width - LEFT) / Math.max(bars.length, BARS_MIN)
  return (
    <svg
      ref={svg}
      class="timing-chart"
      viewBox={`0 0 ${width} ${HEIGHT}`}
      role="img"
      aria-label={`Time of the last ${bars.length} searches. Half took at most ${formatMs(p50)}, 95 of 100 at most ${formatMs(p95)}.`}
    >
      {marks.map((mark) => (
        <g key={mark}>
          <line class="timing-grid" x1={LEFT} x2={width} y1={y(mark)} y2={y(mark)} />
          <text class="timing-mark" x={LEFT - 8} y={y(mark) + 4} text-anchor="end">
            {mark === 0 ? "0" : formatMs(mark)}
          </text>
        </g>
      ))}
      {bars.map((bar, index) => (
        <Bar key={`${bar.at} ${bar.totalMs}`} bar={bar} x={LEFT + slot * (index + 0.15)} width={slot * 0.7} y={y} />
      ))}
      {[p50, p95].map((ms, index) => (
        <line
          key={index}
          class="timing-line"
          data-line={index === 0 ? "p50" : "p95"}
          x1={LEFT}
          x2={width}
          y1={y(ms)}
          y2={y(ms)}
        />
      ))}
      <text class="timing-mark" x={LEFT} y={HEIGHT - 4}>
        older
      </text>
      <text class="timing-mark" x={LEFT + slot * bars.length} y={HEIGHT - 4} text-anchor="end">
        {bars.length > 4 ? "latest" : ""}
      </text>
    </svg>
  )
}

interface BarProps {
  readonly bar: TimingBar
  readonly x: number
  readonly width: number
  readonly y: (ms: number) => number
}

function Bar({ bar, x, width, y }: BarProps) {
  let belowMs = 0
  return (
    <g>
      {PARTS.map((part) => {
        const from = y(belowMs)
        belowMs = Math.min(belowMs + bar.parts[part], bar.totalMs)
        return (
          <rect
            key={part}
            class="timing-part"
            data-part={part}
            x={x}
            width={width}
            y={y(belowMs)}
            height={Math.max(from - y(belowMs), 0)}
          />
        )
      })}
    </g>
  )
}

/** Width on the page, px: drawn to it, letters keep their size on a phone. */
function useWidth(svg: { readonly current: SVGSVGElement | null }): number {
  const [width, setWidth] = useState(640)
  useEffect(() => {
    if (!svg.current) return
    const observer = new ResizeObserver(([entry]) => {
      if (entry && entry.contentRect.width > 0) setWidth(Math.round(entry.contentRect.width))
    })
    observer.observe(svg.current)
    return () => observer.disconnect()
  }, [svg])
  return width
}
