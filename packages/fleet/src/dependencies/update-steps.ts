import { type EcosystemName, fail, type UpdateErrorCode, type UpdateStep } from '@fleet/contract'
import { CodedError } from '@fleet/kernel'
import { run, type Word } from '@fleet/shell'
import { SshFailure } from '@fleet/ssh'
import type { Call } from '#/call.ts'
import { type InstanceRecord, type Instances, isOfOtherCheckout, type StepEnd } from '#/instances/api.ts'

/** One package manager that runs in the application directory. */
export interface ManagerRun {
  readonly ecosystem: EcosystemName
  readonly words: readonly Word[]
  /** Another one ran before it in the same update. */
  readonly isLater?: boolean
}

/** The deadline of each (DEP-063, LIM-015). */
const STEP_SECONDS = 600
/** Kept of the request's time for the final scan. */
const SCAN_SECONDS = 40

export const COMPOSER: ManagerRun = {
  ecosystem: 'composer',
  words: ['composer', 'update', '--no-interaction', '--no-ansi', '--no-progress', '--no-audit'],
}

/** Bun would install and write its binary lock otherwise (DEP-060). */
export const vitePlus = (path: string, isBun: boolean): ManagerRun => ({
  ecosystem: 'npm',
  words: [path, 'update', '--no-save', ...(isBun ? ['--', '--lockfile-only', '--save-text-lockfile'] : [])],
})

export const stepOf = (ecosystem: EcosystemName, status: 'absent' | 'not_run' | 'succeeded'): UpdateStep => ({
  ecosystem,
  status,
  may_have_mutated: status === 'succeeded',
  error_code: null,
})

const failedStep = (
  ecosystem: EcosystemName,
  error_code: UpdateErrorCode,
  may_have_mutated = true,
): UpdateStep => ({ ecosystem, status: 'failed', may_have_mutated, error_code })

/**
 * Runs one package manager. A failure is an answer: what it changed stays, so the next scan must follow. Throws
 * `node.lock_lost`, and `dependencies.operation_busy` where nothing has run and the one of an earlier update still does.
 */
export async function runManager(
  instances: Pick<Instances, 'runCommand'>,
  call: Call,
  instance: InstanceRecord,
  below: string,
  { ecosystem, words, isLater = false }: ManagerRun,
): Promise<UpdateStep> {
  const left = Math.floor(call.deadline.forwardMilliseconds() / 1000) - SCAN_SECONDS
  if (left < 1) return failedStep(ecosystem, 'dependencies.update_timeout', false)
  const directory = below === '' ? '.' : `./${below}`
  const command = `${run('cd', '--', directory).line}\n${run(...words).line}`
  const limitSeconds = Math.min(STEP_SECONDS, left)
  try {
    const end = await instances.runCommand(call, instance, { name: ecosystem, command, limitSeconds })
    if (end === 'succeeded') return stepOf(ecosystem, end)
    return failedStep(ecosystem, call.signal.aborted ? 'dependencies.update_cancelled' : CODES[end])
  } catch (error) {
    call.locks.requireHeld()
    const problem = directoryProblemOf(error)
    const mayHaveRun =
      problem === undefined &&
      !(error instanceof Error && error.cause instanceof SshFailure && !error.cause.sent)
    if (call.signal.aborted) return failedStep(ecosystem, 'dependencies.update_cancelled', mayHaveRun)
    if (!(error instanceof CodedError)) throw error
    if (problem === 'unsafe') return failedStep(ecosystem, 'dependencies.unsafe_source', false)
    if (problem === 'busy' && !isLater) throw stillRunning(error)
    return failedStep(ecosystem, 'dependencies.update_failed', mayHaveRun)
  }
}

/** What the Node finds of the checkout before it starts anything in it. */
function directoryProblemOf(error: unknown): 'busy' | 'unsafe' | undefined {
  if (!(error instanceof CodedError)) return undefined
  if (error.code === 'instance.lifecycle_busy') return 'busy'
  return isOfOtherCheckout(error.code) ? 'unsafe' : undefined
}

const stillRunning = (cause: CodedError): CodedError =>
  fail('dependencies.operation_busy', {
    message:
      'A package manager of an earlier update, or a step of the setup, still runs in the checkout of this Instance.',
    details: cause.details ?? {},
    cause,
  })

const CODES = {
  failed: 'dependencies.update_failed',
  missing: 'dependencies.update_failed',
  unconfirmed: 'dependencies.update_failed',
  timeout: 'dependencies.update_timeout',
  deadline: 'dependencies.update_timeout',
} as const satisfies Record<StepEnd, UpdateErrorCode>
