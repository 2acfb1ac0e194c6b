import { MalformedOutput } from '@fleet/shell'
import type { PackageState, RemovalPlan } from '#/tools/managers/manager.ts'

/** The candidate in what `apt-cache policy` prints of one package; undefined when nothing offers it. */
export function readPolicy(printed: string): string | undefined {
  const candidate = /^ {2}Candidate: (.+)$/m.exec(printed)?.[1]
  if (candidate === undefined || candidate === '(none)') return undefined
  return versionOf(candidate)
}

const INSTALLED: ReadonlySet<string> = new Set(['installed', 'triggers-awaited', 'triggers-pending'])
const ABSENT: ReadonlySet<string> = new Set(['not-installed', 'config-files'])

/**
 * The state of dpkg, one line for each architecture; settings that a removal left do not count (TLX-021). A package on hold keeps its
 * version.
 */
export function readStatus(printed: string): Pick<PackageState, 'installed' | 'isPresent' | 'isPinned'> {
  const lines = printed
    .split('\n')
    .filter(Boolean)
    .map((line) => {
      const [status = '', version = '', wanted = ''] = line.split(' ')
      return { status, version, wanted }
    })
  const found = lines.find(({ status }) => INSTALLED.has(status))
  return {
    installed: found && versionOf(found.version),
    isPresent: lines.some(({ status }) => !ABSENT.has(status)),
    isPinned: found?.wanted === 'hold',
  }
}

/** What the simulated removal of `name` would do to other packages; an architecture after a name is part of it. */
export function readRemovalPlan(printed: string, name: string): RemovalPlan {
  const others = [...printed.matchAll(/^(Remv|Purg|Inst) (\S+) /gm)]
    .map(([, verb, other = '']) => ({ isInstalled: verb === 'Inst', other }))
    .filter(({ other }) => other !== name)
  const named = (isInstalled: boolean): readonly string[] =>
    others.filter((one) => one.isInstalled === isInstalled).map(({ other }) => other)
  return { removed: named(false), installed: named(true) }
}

function versionOf(text: string): string {
  if (!/^[0-9A-Za-z][A-Za-z0-9.+:~-]{0,254}$/.test(text)) throw new MalformedOutput('not a version of Debian')
  return text
}
