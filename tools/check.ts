// `npm run check [-- NAME …]`: every static check, or those whose name has one of the words; one line each and all problems.
// Exit status 1 when one fails.
import { resolve } from 'node:path'
import { checksOf, chosen, tell, type Told } from './checks.ts'
import { readTree } from './tree.ts'

/** Runs the checks side by side and prints them in order. Throws when a word is of no check. */
export async function runChecks(
  root: string,
  print: (line: string) => void,
  words: readonly string[] = [],
): Promise<readonly Told[]> {
  const told = await Promise.all(chosen(checksOf(root, readTree(root)), words).map((check) => tell(check)))
  for (const { lines } of told) print(lines.join('\n'))
  return told
}

if (import.meta.main) {
  const told = await runChecks(resolve(import.meta.dirname, '..'), console.log, process.argv.slice(2))
  process.exitCode = told.every(({ ok }) => ok) ? 0 : 1
}
