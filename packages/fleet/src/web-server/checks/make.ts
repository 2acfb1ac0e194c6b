import { ROOT_FILES, textFile } from '@fleet/shell'
import { asked, type FamilyChecks, type Question, readPrinted, type Verdict } from '#/nodes/api.ts'
import { sitesOf, type WebServerDeps } from '#/web-server/build.ts'
import { renderCaddyfile } from '#/web-server/caddyfile/render.ts'
import { type CaddyVersion, caddyVersionOf, featuresOf } from '#/web-server/caddyfile/version.ts'
import { Unrenderable } from '#/web-server/rules.ts'
import { LOCK_FILE, ROOT_FILE, versionOf } from '#/web-server/service/caddy.ts'
import type { Site } from '#/web-server/site.ts'

export interface LiveFile {
  /** Undefined where there is no Caddy. */
  readonly caddy: CaddyVersion | undefined
  /** Version of what is in a file of Fleet's, whoever wrote that, or `foreign`, `none`, `building`. */
  readonly live: string
}

/** Seconds that a build is waited for, and those in which a file is read (DRF-033). */
interface Patience {
  readonly lockSeconds: number
  readonly readSeconds: number
}

export const liveQuestion = (
  root: string,
  { lockSeconds, readSeconds }: Patience = { lockSeconds: 5, readSeconds: 10 },
): Question<LiveFile> => ({
  source: [ROOT_FILES, textFile('live.sh', import.meta.url)].join('\n'),
  args: [root, LOCK_FILE, lockSeconds, readSeconds],
  read: (printed) =>
    readPrinted(printed, (answer) => {
      const live = answer.text('live')
      if (!/^(?:[0-9a-f]{32}|foreign|none|building)$/.test(live)) return undefined
      return { caddy: caddyVersionOf(answer.text('caddy')), live }
    }),
})

/** In the order in which a Node is looked up: the first active one of these carries the findings (DRF-032). */
const PUBLISHING = ['app-dev', 'app-prod', 'router', 'ingress'] as const

/** The live file of a Node against a fresh rendering, and whether its Caddy is supported (DRF-031 to DRF-033). */
export const makeWebServerChecks = (deps: WebServerDeps): FamilyChecks => ({
  family: 'role',
  checksOf: async (_call, node) => {
    if (!(await deps.network.settings())) return []
    const role = PUBLISHING.find((name) => node.activeRoles.includes(name))
    const holder = role && (await deps.holders.of(role)).find((held) => held.node.id === node.id)
    if (!holder) return []
    const resource = { type: 'role', id: holder.id, name: role }
    const question = liveQuestion(deps.root ?? '')
    const sites = await sitesOf(deps, node)
    return [
      asked('role.caddy_build_drift', resource, question, (found) =>
        driftOf(sites, found, deps.acmeDirectory),
      ),
      asked('role.caddy_version_unsupported', resource, question, (found) => supportOf(sites, found)),
    ]
  },
})

function driftOf(
  sites: readonly Site[],
  { caddy, live }: LiveFile,
  acmeDirectory: string | undefined,
): Verdict {
  if (live === 'building') return { unverifiable: 'building' }
  if (!caddy && sites.length === 0) return undefined
  const expected = caddy && expectedVersion(sites, caddy, acmeDirectory)
  if (expected === undefined) return { expected: 'buildable', observed: 'refused' }
  const observed = live === 'none' || live === 'foreign' ? 'not_built' : live
  return observed === expected ? undefined : { expected, observed }
}

/** Older ones serve as far as they understand the file, but cut WebSockets at every reload (decision 35 of the design). */
const supportOf = (sites: readonly Site[], { caddy }: LiveFile): Verdict =>
  !caddy || featuresOf(caddy).isSupported || sites.length === 0
    ? undefined
    : { expected: 'at least 2.9', observed: `${caddy.major}.${caddy.minor}` }

function expectedVersion(
  sites: readonly Site[],
  caddy: CaddyVersion,
  acmeDirectory: string | undefined,
): string | undefined {
  try {
    return versionOf(renderCaddyfile(sites, { features: featuresOf(caddy), root: ROOT_FILE, acmeDirectory }))
  } catch (error) {
    if (error instanceof Unrenderable) return undefined
    throw error
  }
}
