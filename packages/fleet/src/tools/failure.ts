import { type ErrorCode, errorRegistry, fail, isErrorCode, type ToolOutcome } from '@fleet/contract'
import { CodedError, Refusal } from '@fleet/kernel'
import type { ToolStep } from '#/tools/record.ts'

/** Outcomes that are not `manager_failed`, by the code that carries them (TLX-040). */
const OUTCOMES: Readonly<Partial<Record<string, ToolOutcome>>> = {
  'tool.constraint_invalid': 'constraint_invalid',
  'tool.version_constraint_blocked': 'blocked_by_constraint',
  'tool.candidate_version_unavailable': 'candidate_version_unavailable',
  'tool.candidate_version_unparseable': 'candidate_version_unparseable',
}

export const outcomeOf = (code: string): ToolOutcome => OUTCOMES[code] ?? 'manager_failed'

/** What the errors of one request say besides: which operation it was, and which Tool. */
export interface Described {
  readonly step: ToolStep
  /** Set once the record exists. */
  id?: number
}

/** Runs the work; its Tool errors say step, outcome and Tool (TOOL-063, TLX-041). */
export async function describing<T>(about: Described, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw described(error, about)
  }
}

function described(error: unknown, { step, id }: Described): unknown {
  if (!(error instanceof CodedError) || !isErrorCode(error.code) || !error.code.startsWith('tool.'))
    return error
  const { code, message } = error
  const details = {
    ...error.details,
    step,
    outcome: outcomeOf(code),
    ...(id === undefined ? {} : { id }),
  }
  return step === 'adopt'
    ? adoptionError(code, { message, details, cause: error })
    : fail(code, { message, details, cause: error })
}

/** An adoption changes nothing, so a version that cannot be read refuses it (TLX-045). */
const adoptionError = (code: ErrorCode, options: ConstructorParameters<typeof Refusal>[2]): CodedError =>
  code === 'tool.version_probe_failed'
    ? new Refusal(code, { ...errorRegistry[code], status: 409 }, options)
    : fail(code, options)
