import assert from 'node:assert/strict'

/** One step as the command line tells it without a terminal. */
export interface ReportedStep {
  readonly name: string
  readonly status: string
  readonly seconds: number | undefined
}

/** The steps of `fleet` in the order in which they ended, and how long all of it took. Fails where it printed none. */
export function stepsOf(reported: string): {
  readonly steps: readonly ReportedStep[]
  readonly seconds: number
} {
  const steps = [...reported.matchAll(/^(\S+): (done|failed|skipped)(?: after ([\d.]+) s)?$/gm)].map(
    ([, name = '', status = '', seconds]): ReportedStep => ({
      name,
      status,
      seconds: seconds === undefined ? undefined : Number(seconds),
    }),
  )
  const [, total] = /^\d+ steps? in ([\d.]+) s$/m.exec(reported) ?? []
  assert.ok(total !== undefined, `no steps were printed:\n${reported}`)
  return { steps, seconds: Number(total) }
}

/** One line for a report. */
export const figures = (title: string, { steps, seconds }: ReturnType<typeof stepsOf>): string =>
  `${title}: ${seconds.toFixed(1)} s (${steps.map((step) => `${step.name} ${step.seconds ?? '-'}`).join(', ')})`
