import {
  type DeploymentFailure,
  type DeploymentPhase,
  type ErrorCode,
  errorRegistry,
  isErrorCode,
} from '@fleet/contract'
import { asCoded, ClientGone } from '#/work/api.ts'

/** What a run that failed in a phase is said to have failed in (DEPL-022). */
export const FAILED_IN = {
  source_preparation: 'preparation',
  environment_sync: 'environment',
  before_activation: 'before_activation',
  activation: 'activation',
  php_refresh: 'cache_refresh',
  after_activation: 'after_activation',
  cleanup: 'operation',
  rollback: 'rollback_selection',
} as const satisfies Record<DeploymentPhase, DeploymentFailure>

/** The code of a run that was aborted: by its client (DEPL-025), or because its gateway stops or has lost the work. */
export const codeOfAbort = ({ reason }: AbortSignal): ErrorCode =>
  reason instanceof ClientGone ? 'deployment.cancelled' : 'deployment.interrupted'

/** The code of a failure: a run has one request, and its time is the run's (DEPL-024). */
export function codeOfFailure(error: unknown): ErrorCode {
  const coded = asCoded(error)
  if (coded.code === 'command.deadline_exceeded' && coded.details?.['outcome'] !== 'timeout')
    return 'deployment.deadline_exceeded'
  return coded.code as ErrorCode // Every coded error of the fleet is made from the registry.
}

/**
 * What the error says beyond its code, for the output of the run: its result has a code alone. A message of its own says all but the
 * names that it is about.
 */
export function causeOf(error: unknown): string | undefined {
  const { code, message, details = {} } = asCoded(error)
  const isOwn = !isErrorCode(code) || message !== errorRegistry[code].message
  const named = (isOwn ? NAMES : [...NAMES, 'branch', 'reason']).flatMap((name) => {
    const value = textOf(details[name])
    return value === undefined || (isOwn && message.includes(value)) ? [] : [`${name}: ${value}`]
  })
  const lines = isOwn ? [message, ...named] : named
  return lines.length === 0 ? undefined : lines.join('\n')
}

const NAMES = ['keys', 'key', 'placeholder', 'path', 'constraint', 'available']

const VALUE_MAX_CHARACTERS = 2000

/** One bounded line of a name or of several, which may be somebody's own text. */
function textOf(value: unknown): string | undefined {
  const text = Array.isArray(value) ? value.map(String).join(', ') : value
  if (typeof text !== 'string') return undefined
  return text.replaceAll(/\p{Cc}|\p{Cf}/gu, '?').slice(0, VALUE_MAX_CHARACTERS)
}
