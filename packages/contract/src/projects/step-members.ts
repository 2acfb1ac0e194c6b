import * as z from 'zod'
import { BLANK, FILLED, stepName } from '../params.ts'

/** Bounds of a list of steps. */
export interface StepLimits {
  readonly commandMaxBytes: number
  readonly timeoutMaxSeconds: number
  readonly timeoutDefaultSeconds: number
  readonly listMax: number
  readonly listTotalSeconds: number
}

/** How the command of a step is run. */
export const BASH =
  'Bash ends a step at the first command that fails or variable that is not set (`-eu`); the variables of `.env` are not set. What a step leaves running, also in the background, is ended with the step: a Process (`fleet process:create`) keeps running.'

const bytes = (text: string): number => new TextEncoder().encode(text).length

/** What create and update of a step have in common. `before` and `after` exclude each other; absent means append or stay. */
export const stepMembersFor = (limits: StepLimits) =>
  ({
    command: z
      .string()
      .min(1)
      .regex(FILLED, BLANK)
      .refine((text) => !text.includes('\0'), 'must not contain a NUL')
      .refine((text) => bytes(text) <= limits.commandMaxBytes, 'must be at most 16 KiB')
      .optional()
      .describe('Shell command.'),
    timeout_seconds: z
      .int()
      .min(1)
      .max(limits.timeoutMaxSeconds)
      .optional()
      .describe(`Time limit. Default for a new step: ${limits.timeoutDefaultSeconds}.`),
    before: stepName.optional().describe('Insert or move the step before this one.'),
    after: stepName.optional().describe('Insert or move the step after this one.'),
  }) as const
