import type { Call } from '#/call.ts'
import { CodedError } from '@fleet/kernel'
import type { Answers } from '#/doctor/ask.ts'
import type { Check, NodeSession, Verdict } from '#/nodes/api.ts'

export interface Judged {
  readonly check: Check
  readonly verdict: Verdict
}

/** Never throws: a check that breaks is unverifiable, and its reason stays in the log. */
export async function judge(check: Check, call: Call, live?: Live): Promise<Judged> {
  try {
    return { check, verdict: await verdictOf(check, live) }
  } catch (error) {
    if (!(error instanceof CodedError)) call.log('a check broke', { code: check.code, cause: nameOf(error) })
    return { check, verdict: { unverifiable: error instanceof CodedError ? error.code : 'check failed' } }
  }
}

export interface Live {
  readonly session: NodeSession
  readonly answers: Answers
}

async function verdictOf(check: Check, live: Live | undefined): Promise<Verdict> {
  if (check.kind === 'stored') return check.judge()
  if (!live) return { unverifiable: 'no connection' }
  if (check.kind === 'driven') return check.judge(live.session)
  const printed = live.answers.get(check.question)
  if (printed === 'too_large') return { unverifiable: 'node.output_too_large' }
  if (printed === 'late') return { unverifiable: 'command.deadline_exceeded' }
  const answer = printed === undefined ? undefined : check.question.read(printed)
  return answer === undefined ? { unverifiable: 'no answer' } : check.judge(answer)
}

const nameOf = (error: unknown): string => (error instanceof Error ? error.name : typeof error)
