import * as z from 'zod'
import { id } from '../params.ts'

/** How much of a log a plain read answers, of whatever record the log is. */
export const readLines = {
  lines: z.int().min(1).max(1000).default(100).describe('Number of lines from the end of the log.'),
}

export const plainLog = z.strictObject({
  id,
  name: z.string(),
  /** As many as were asked for; the log may have fewer. */
  lines: z.int(),
  /** Oldest first, separated by newlines; stored environment values and keys are masked. Empty without a log. */
  logs: z.string(),
})
