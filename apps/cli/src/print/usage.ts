import { InputError } from '@fleet/sdk/core'
import type { CommandSpec } from '#/command-spec.ts'
import { ClientError } from '#/exit.ts'

/** The form of the command for an error that says the command line does not fit it. Its module is loaded only then. */
export async function usageOf(error: unknown, spec: CommandSpec | undefined): Promise<string | undefined> {
  const isUsage = error instanceof InputError || (error instanceof ClientError && error.code === 'usage')
  return spec && isUsage ? (await import('./help-command.ts')).usageLine(spec) : undefined
}
