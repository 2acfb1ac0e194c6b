/** One figure beside its baseline from the same run. `ratio` is value / baseline_value. */
export interface Measure {
  readonly bench: string
  readonly value: number
  readonly unit: string
  readonly baseline: string
  readonly baseline_value: number
  readonly ratio: number
}

/** A benchmark for which this machine lacks something. */
export interface Skipped {
  readonly bench: string
  readonly skipped: string
}

export type Report = Measure | Skipped

export const measure = (
  bench: string,
  unit: string,
  value: number,
  baseline: string,
  baselineValue: number,
): Measure => ({
  bench,
  value: round(value),
  unit,
  baseline,
  baseline_value: round(baselineValue),
  ratio: round(value / baselineValue),
})

/** Milliseconds of each of `count` runs, after `warmUp` unmeasured ones. */
export async function times(
  count: number,
  work: () => Promise<unknown>,
  warmUp = Math.ceil(count / 10),
  pause: () => Promise<unknown> = async () => undefined,
): Promise<number[]> {
  for (let run = 0; run < warmUp; run += 1) await work()
  const taken: number[] = []
  for (let run = 0; run < count; run += 1) {
    taken.push(await time(work))
    await pause()
  }
  return taken
}

/** Milliseconds of one run. */
export async function time(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

/** Runs two works in turn, so that a disturbance of the machine meets both alike. */
export async function sideBySide(
  count: number,
  ours: () => Promise<unknown>,
  theirs: () => Promise<unknown>,
  pause?: () => Promise<unknown>,
): Promise<{ readonly ours: number[]; readonly theirs: number[] }> {
  const taken: { readonly ours: number[]; readonly theirs: number[] } = { ours: [], theirs: [] }
  const chunk = Math.max(1, Math.floor(count / 10))
  for (let done = 0; done < count; done += chunk) {
    taken.ours.push(...(await times(chunk, ours, done === 0 ? chunk : 1, pause)))
    taken.theirs.push(...(await times(chunk, theirs, done === 0 ? chunk : 1, pause)))
  }
  return taken
}

export const percentile = (values: readonly number[], share: number): number => {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}
export const median = (values: readonly number[]): number => percentile(values, 0.5)

const round = (value: number): number => Number(value.toPrecision(4))
