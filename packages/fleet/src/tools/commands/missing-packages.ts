import { type Command, script } from '@fleet/shell'
import type { CommandResult } from '@fleet/ssh'
import type { Wanted } from '#/tools/packages.ts'

/** Prints the package of every wanted entry of which none is installed, one a line, and `end`; one `dpkg-query`. */
export const missingPackages = (wanted: readonly Wanted[]): Command =>
  script(MISSING_SOURCE, ...wordsOf(wanted))

/** The entries as arguments of the script. */
export const wordsOf = (wanted: readonly Wanted[]): readonly string[] =>
  wanted.map((one) => choicesOf(one).join('|'))

// A package that was removed but left its settings, or was cut off half way, does not count.
export const MISSING_SOURCE = `# find missing packages
set -u
LC_ALL=C
PATH=/usr/sbin:/usr/bin:/sbin:/bin
export LC_ALL PATH
choices=$(printf '%s ' "$@" | tr '|' ' ')
# The names have no spaces, and none of them is a pattern.
installed=" $(dpkg-query -W -f '\${db:Status-Status} \${Package}\\n' $choices 2>/dev/null | sed -n 's/^installed //p' | tr '\\n' ' ') "
for wanted; do
  found=
  for choice in $(printf '%s' "$wanted" | tr '|' ' '); do
    case $installed in *" $choice "*) found=yes ;; esac
  done
  [ -n "$found" ] || printf '%s\\n' "\${wanted%%|*}"
done
echo end
`

/** Undefined when the script broke. */
export function readMissing(
  { exitCode, stdout }: Pick<CommandResult, 'exitCode' | 'stdout'>,
  wanted: readonly Wanted[],
): readonly string[] | undefined {
  const lines = stdout.toString('utf8').split('\n')
  if (exitCode !== 0 || lines.at(-1) !== '' || lines.at(-2) !== 'end') return undefined
  const missing = lines.slice(0, -2)
  const known = new Set(wanted.map((one) => choicesOf(one)[0]))
  return missing.every((name) => known.has(name)) ? missing : undefined
}

const choicesOf = (wanted: Wanted): readonly string[] => (typeof wanted === 'string' ? [wanted] : wanted)
