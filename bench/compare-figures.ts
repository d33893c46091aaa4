/** Figures of one run by name; of each more is better. A `ratio` of two times was measured within one run. */
export interface CheckFigures {
  readonly shares: Readonly<Record<string, number>>
  readonly ratios: Readonly<Record<string, number>>
}

/** How one figure compares with its baseline. */
export interface Compared {
  readonly name: string
  readonly baseline: number
  /** Undefined: the run didn't measure it. */
  readonly now: number | undefined
  /** What it must not fall below. */
  readonly least: number
  readonly held: boolean
}

/** Shares (nDCG, recall) hardly vary: another machine rounds its vectors otherwise. */
const SHARE_SLACK = 0.01
/** Ratios of times varied by up to a fifth between runs on shared machines. */
const RATIO_KEPT = 0.7

/** Every figure of the baseline beside that of now; one that wasn't measured doesn't hold. */
export function compareFigures(baseline: CheckFigures, now: CheckFigures): Compared[] {
  const compared = (kind: keyof CheckFigures, leastOf: (value: number) => number) =>
    Object.entries(baseline[kind]).map(([name, value]) => {
      const measured = now[kind][name]
      const least = leastOf(value)
      return { name, baseline: value, now: measured, least, held: measured !== undefined && measured >= least }
    })
  return [...compared("shares", (value) => value - SHARE_SLACK), ...compared("ratios", (value) => value * RATIO_KEPT)]
}

/** The better of two measurements of each ratio: what else a machine does only ever takes from one. */
export function betterRatios(first: CheckFigures, second: CheckFigures): CheckFigures {
  const names = Object.keys(first.ratios)
  const better = (name: string) => Math.max(first.ratios[name] ?? 0, second.ratios[name] ?? 0)
  return { shares: first.shares, ratios: Object.fromEntries(names.map((name) => [name, better(name)])) }
}
