import type { DeploymentDetailData, DeploymentLine } from '@fleet/contract'
import { inline } from '#/print/value.ts'
import type { Paper } from './view.ts'

type Phase = Extract<DeploymentLine, { type: 'phase' }>

/** A phase, or a step of it, on the clock of the gateway. */
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
  const over = events.find(({ type }) => type === 'result')?.at ?? (status === 'running' ? null : finished_at)
  return phases.map((line, at) => {
    const later = phases.slice(at + 1)
    // A phase lasts over its steps; a step ends with whatever comes after it.
    const next = line.step_name === null ? later.find(({ phase }) => phase !== line.phase) : later[0]
    const ended = next?.at ?? over
    return {
      name: inline(line.step_name ?? line.phase.replaceAll('_', ' ')),
      isStep: line.step_name !== null,
      began: Date.parse(line.at),
      ended: ended === null ? undefined : Date.parse(ended),
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
