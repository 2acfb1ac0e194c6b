import type { Question } from '#/nodes/api.ts'
import { MISSING_SOURCE, readMissing, type Wanted, wordsOf } from '#/tools/commands/missing-packages.ts'

/** For Doctor: which of the wanted packages are missing. */
export const packagesQuestion = (wanted: readonly Wanted[]): Question<readonly string[]> => ({
  source: MISSING_SOURCE,
  args: wordsOf(wanted),
  // Its last newline is gone by then.
  read: ({ exitCode, text }) => readMissing({ exitCode, stdout: Buffer.from(`${text}\n`) }, wanted),
})
