import { type Answer, MalformedOutput, programOf, START, textFile } from '@fleet/shell'
import { type NodeScript, type Question, readPrinted } from '#/nodes/api.ts'

/**
 * A package, or several of which one is enough; the first is installed when none is. `whereKnown`: the same, unless no
 * package source of the Node has the first, as of a part that other releases of Debian do not split off.
 */
export type Wanted = Choices | { readonly whereKnown: Choices }
type Choices = string | readonly [string, ...string[]]

/** The package of every wanted entry of which none is installed; one `dpkg-query`. */
export const missingPackages: NodeScript<readonly Wanted[], readonly string[]> = {
  source: programOf(textFile('missing-packages.sh', import.meta.url), START),
  args: (wanted) => wanted.map(wordOf),
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
  const known = new Set(wanted.map((one) => namesOf(one)[0]))
  if (!missing.every((name) => known.has(name))) throw new MalformedOutput('a package that nobody asked for')
  return missing
}

/** Every package of an entry, the one that is installed first. */
export function namesOf(wanted: Wanted): readonly string[] {
  if (typeof wanted === 'string') return [wanted]
  return 'whereKnown' in wanted ? namesOf(wanted.whereKnown) : wanted
}

const wordOf = (wanted: Wanted): string =>
  `${namesOf(wanted).join('|')}${typeof wanted === 'object' && 'whereKnown' in wanted ? '?' : ''}`
