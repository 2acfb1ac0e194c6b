import type { DeploymentDetailData, DeploymentLine } from '@fleet/contract'
import { inline } from '#/print/value.ts'
import { elapsedTimes } from './elapsed.ts'
import type { Paper } from './view.ts'

type Phase = Extract<DeploymentLine, { type: 'phase' }>

/** A phase, or a step of it, in milliseconds since the first line. */
interface Span {
  readonly name: string
  readonly isStep: boolean
  readonly began: number
  /** Undefined while it runs. */
  readonly ended: number | undefined
}

const BAR_COLUMNS = 32

/** Each phase and step with the time that it took, drawn below each other from the first begin to the last end. */
export function phaseLines(deployment: DeploymentDetailData, { colors }: Paper): readonly string[] {
  const spans = spansOf(deployment)
  const [first] = spans
  if (!first) return []
  const last = Math.max(...spans.map(({ began, ended }) => ended ?? began))
  const width = Math.max(...spans.map(({ name, isStep }) => name.length + (isStep ? 2 : 0)))
  const bar = barOf(first.began, last)
  return spans.map((span, at) => {
    const { name, isStep, began, ended } = span
    const label = (isStep ? `  ${name}` : name).padEnd(width)
    const took =
      ended === undefined ? 'running'.padStart(9) : `${((ended - began) / 1000).toFixed(1)} s`.padStart(9)
    const isBroken = deployment.status === 'failed' && at === spans.length - 1
    const drawn = isBroken ? `${colors.red(bar(span))} ${colors.red('failed')}` : colors.dim(bar(span))
    return `  ${label}  ${took}  ${drawn}`.trimEnd()
  })
}

function spansOf({ events, status, finished_at }: DeploymentDetailData): readonly Span[] {
  const phases = events.filter((line): line is Phase => line.type === 'phase')
  const elapsed = elapsedTimes()
  const times = new Map(events.map((line) => [line, elapsed(line.at)]))
  const result = events.find(({ type }) => type === 'result')
  const finished = result || status === 'running' || finished_at === null ? undefined : elapsed(finished_at)
  const over = result ? times.get(result) : finished
  return phases.map((line, at) => {
    const later = phases.slice(at + 1)
    // A phase lasts over its steps; a step ends with whatever comes after it.
    const next = line.step_name === null ? later.find(({ phase }) => phase !== line.phase) : later[0]
    return {
      name: inline(line.step_name ?? line.phase.replaceAll('_', ' ')),
      isStep: line.step_name !== null,
      began: times.get(line) ?? 0,
      ended: next ? times.get(next) : over,
    }
  })
}

function barOf(first: number, last: number): (span: Span) => string {
  const column = (time: number): number =>
    last === first ? 0 : Math.floor(((time - first) / (last - first)) * BAR_COLUMNS)
  return ({ began, ended }) => {
    const start = Math.min(BAR_COLUMNS - 1, column(began))
    return ' '.repeat(start) + '━'.repeat(Math.max(1, column(ended ?? last) - start))
  }
}
