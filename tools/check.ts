// `npm run check [-- NAME …]`: every static check, or those whose name has one of the words; one line each and all problems.
// Exit status 1 when one fails.
import { resolve } from 'node:path'
import { checksOf, chosen, tell, type CheckOutcome } from './checks.ts'
import { readTree } from './tree.ts'

/** Runs the checks side by side and prints them in order. Throws when a word is of no check. */
export async function runChecks(
  root: string,
  print: (line: string) => void,
  words: readonly string[] = [],
): Promise<readonly CheckOutcome[]> {
  const outcome = await Promise.all(chosen(checksOf(root, readTree(root)), words).map((check) => tell(check)))
  for (const { lines } of outcome) print(lines.join('\n'))
  return outcome
}

if (import.meta.main) {
  const outcome = await runChecks(resolve(import.meta.dirname, '..'), console.log, process.argv.slice(2))
  process.exitCode = outcome.every(({ ok }) => ok) ? 0 : 1
}
