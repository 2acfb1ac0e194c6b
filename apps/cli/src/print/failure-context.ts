import { ApiError, InputError } from '@fleet/sdk/core'
import { ClientError } from '#/exit.ts'
import { typedWords } from '#/next/typed.ts'
import type { Progressed } from '#/run.ts'
import type { FailureContext } from './errors.ts'

/** What the printing of an error may use of the words that were understood before it. */
export async function failureContext(
  error: unknown,
  { spec, line, json, target, change, readMore }: Progressed,
): Promise<FailureContext> {
  // The command line does not fit the command, so its form is shown.
  const isUsage = error instanceof InputError || (error instanceof ClientError && error.code === 'usage')
  const details = error instanceof ApiError && json !== true ? error.details : undefined
  return {
    details: details && readMore && (await (await import('./named-ids.ts')).nameRecord(details, readMore)),
    command: spec?.name,
    json: json === true,
    target,
    gateway: line?.globals.gateway,
    // The steps of an operation that can be watched are recorded, so that its repetition goes on from them.
    change: change && { ...change, resumes: spec?.watchable === true },
    typed: spec && line && typedWords(line, spec),
    usage: spec && isUsage ? (await import('./help-command.ts')).usageLine(spec) : undefined,
  }
}
