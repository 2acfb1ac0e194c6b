import { type Answer, MalformedOutput, programOf, START, textFile } from '@fleet/shell'
import { type NodeScript, type Question, readPrinted } from '#/nodes/api.ts'

/** A package, or several of which one is enough; the first is installed when none is. */
export type Wanted = string | readonly [string, ...string[]]

/** The package of every wanted entry of which none is installed; one `dpkg-query`. */
export const missingPackages: NodeScript<readonly Wanted[], readonly string[]> = {
  source: programOf(textFile('missing-packages.sh', import.meta.url), START),
  args: (wanted) => wanted.map((one) => choicesOf(one).join('|')),
  timeoutSeconds: 60,
  reasons: {},
  broken: 'node_role.package_failed',
  read: readMissing,
}

/** The same for Doctor. */
export const packagesQuestion = (wanted: readonly Wanted[]): Question<readonly string[]> => ({
  source: missingPackages.source,
  args: missingPackages.args?.(wanted) ?? [],
  read: (printed) => readPrinted(printed, (answer) => readMissing(answer, wanted)),
})

function readMissing(answer: Answer, wanted: readonly Wanted[]): readonly string[] {
  const missing = answer.text('missing').split('\n').filter(Boolean)
  const known = new Set(wanted.map((one) => choicesOf(one)[0]))
  if (!missing.every((name) => known.has(name))) throw new MalformedOutput('a package that nobody asked for')
  return missing
}

const choicesOf = (wanted: Wanted): readonly string[] => (typeof wanted === 'string' ? [wanted] : wanted)
