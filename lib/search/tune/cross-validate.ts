/** Folds that the questions are divided into: four choose, the fifth is asked. */
const FOLDS = 5
/** Divisions that the figures are the mean of: one alone is worth .002 nDCG@10 more or less with 50 questions. */
const DIVISIONS = 20

/** What one fold chose by the other four: `chosen` is what its questions are asked with. */
export type Choose<T> = (training: readonly number[]) => T

/**
 * What every question scores under what was chosen without it, the mean over the divisions: the order is drawn by `random`, 0 to 1.
 * `score` gives a question's score, by its place, under what was chosen.
 */
export function crossValidate<T>(
  count: number,
  choose: Choose<T>,
  score: (chosen: T, question: number) => number,
  random: () => number,
): readonly number[] {
  const sums = new Array<number>(count).fill(0)
  for (let division = 0; division < DIVISIONS; division++) {
    const order = shuffled(count, random)
    for (let fold = 0; fold < FOLDS; fold++) {
      const held = order.filter((_, at) => at % FOLDS === fold)
      const chosen = choose(order.filter((_, at) => at % FOLDS !== fold))
      for (const question of held) sums[question] = (sums[question] ?? 0) + score(chosen, question)
    }
  }
  return sums.map((sum) => sum / DIVISIONS)
}

/** The places below `count` in an order drawn by `random` (Fisher and Yates). */
function shuffled(count: number, random: () => number): number[] {
  const order = Array.from({ length: count }, (_, at) => at)
  for (let at = count - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1))
    const moved = order[at] as number
    order[at] = order[other] as number
    order[other] = moved
  }
  return order
}

/**
 * Place of the setting whose mean over the questions is highest, each mean taken with its neighbours' (1, 2, 1): settings stand in
 * order of size, and a peak of one alone is chance. Of equals the one nearest to `standard`, a place too.
 */
export function bestSetting(
  table: readonly (readonly number[])[],
  questions: readonly number[],
  standard: number,
): number {
  const means = table.map((row) => questions.reduce((sum, at) => sum + (row[at] ?? 0), 0) / questions.length)
  const smooth = means.map((mean, at) => {
    const [before = mean, after = mean] = [means[at - 1], means[at + 1]]
    return (before + 2 * mean + after) / 4
  })
  const best = Math.max(...smooth)
  const places = smooth.flatMap((value, at) => (value > best - 1e-9 ? [at] : []))
  return places.reduce((one, other) => (Math.abs(other - standard) < Math.abs(one - standard) ? other : one))
}
