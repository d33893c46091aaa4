/** Bars of one figure. */
export interface Panel {
  readonly title: string
  /** Decimals of the values. */
  readonly digits: number
  readonly bars: readonly { readonly label: string; readonly value: number; readonly ours: boolean }[]
}

const WIDTH = 760
const LABEL_WIDTH = 250
const BAR_WIDTH = WIDTH - LABEL_WIDTH - 80
const ROW = 22
const TITLE = 44

const STYLE = `
  text { font: 13px system-ui, sans-serif; fill: #222 }
  .title { font-weight: 600; font-size: 14px }
  .ours { fill: #0b6e4f } .theirs { fill: #9aa5b1 }
  @media (prefers-color-scheme: dark) { text { fill: #e6e6e6 } .ours { fill: #3fc29a } .theirs { fill: #6b7785 } }`

/** An SVG picture of the panels, one below the other, readable on light and dark pages. */
export function peersChart(panels: readonly Panel[]): string {
  let top = 0
  const drawn = panels.map((panel) => {
    const svg = `<g transform="translate(0 ${top})">${panelSvg(panel)}</g>`
    top += TITLE + panel.bars.length * ROW
    return svg
  })
  const size = `width="${WIDTH}" height="${top + 16}" viewBox="0 0 ${WIDTH} ${top + 16}"`
  const title = "<title>Concordance beside what people would use instead</title>"
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} role="img">${title}<style>${STYLE}\n</style>\n${drawn.join("\n")}\n</svg>\n`
}

function panelSvg({ title, digits, bars }: Panel): string {
  const most = Math.max(...bars.map(({ value }) => value)) || 1
  const rows = bars.map(({ label, value, ours }, index) => {
    const y = TITLE + index * ROW
    const width = Math.max(1, (value / most) * BAR_WIDTH).toFixed(1)
    return [
      `<text x="${LABEL_WIDTH - 8}" y="${y}" text-anchor="end">${escaped(label)}</text>`,
      `<rect x="${LABEL_WIDTH}" y="${y - 12}" width="${width}" height="15" rx="2" class="${ours ? "ours" : "theirs"}"/>`,
      `<text x="${(LABEL_WIDTH + Number(width) + 6).toFixed(1)}" y="${y}">${value.toFixed(digits)}</text>`,
    ].join("")
  })
  return [`<text class="title" x="8" y="20">${escaped(title)}</text>`, ...rows].join("\n")
}

const escaped = (text: string): string => text.replace(/&/g, "&amp;").replace(/</g, "&lt;")
