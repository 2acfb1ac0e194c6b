import { Answer, MalformedOutput } from '@fleet/shell'
import type { PrintedAnswer } from './types.ts'

/** Reads the fields that a question printed; undefined when it broke or printed something else. */
export function readPrinted<T>(
  { exitCode, text }: PrintedAnswer,
  read: (answer: Answer) => T | undefined,
): T | undefined {
  if (exitCode !== 0) return undefined
  try {
    // The last newline was cut off.
    return read(new Answer(Buffer.from(`${text}\n`)))
  } catch (error) {
    if (error instanceof MalformedOutput) return undefined
    throw error
  }
}
