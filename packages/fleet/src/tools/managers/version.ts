import type { ToolManagerName } from '@fleet/contract'
import { isVersion, satisfiesRange } from '@fleet/lockfiles'

/** What each manager adds to the version of the software, which is what a constraint speaks of (decision 0181). */
const UPSTREAM: Readonly<Record<ToolManagerName, (version: string) => string>> = {
  // The Debian revision. A semantic version would read it as a prerelease, which no range contains.
  apt: (version) => version.replace(/-[A-Za-z0-9+.~]+$/, ''),
  composer: (version) => version.replace(/^v(?=\d)/, ''),
  vp: (version) => version,
  brew: (version) => version.replace(/_\d+$/, ''),
  'brew-cask': (version) => version.replace(/,.*$/, ''),
}

/** The semantic version that a constraint is compared with; undefined where there is none, as with an epoch of Debian. */
export function semverOf(manager: ToolManagerName, version: string): string | undefined {
  const upstream = UPSTREAM[manager](version)
  return upstream.length <= 255 && isVersion(upstream) ? upstream : undefined
}

/** `unparseable` where the version cannot be compared. */
export function judge(
  manager: ToolManagerName,
  version: string,
  constraint: string,
): 'inside' | 'outside' | 'unparseable' {
  const comparable = semverOf(manager, version)
  if (comparable === undefined) return 'unparseable'
  return satisfiesRange(comparable, constraint) ? 'inside' : 'outside'
}
