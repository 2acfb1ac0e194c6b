// `npm run check`: every static check, one line each and all problems. Exit status 1 when one fails.
import { resolve } from 'node:path'
import { checksOf, tell, type Told } from './checks.ts'
import { readTree } from './tree.ts'

/** Runs all checks side by side and prints them in order. */
export async function runChecks(root: string, print: (line: string) => void): Promise<readonly Told[]> {
  const told = await Promise.all(checksOf(root, readTree(root)).map((check) => tell(check)))
  for (const { lines } of told) print(lines.join('\n'))
  return told
}

if (import.meta.main) {
  const told = await runChecks(resolve(import.meta.dirname, '..'), console.log)
  process.exitCode = told.every(({ ok }) => ok) ? 0 : 1
}
