import { type Answer, textFile } from '@fleet/shell'
import { CERTIFICATES, leafScopeOf, type LoadedLeaf } from '#/certificates/api.ts'
import { type FailureReason, type ManagedService, sha256 } from '#/managed-services/api.ts'
import { renderCaddyfile } from '#/web-server/caddyfile/render.ts'
import { type CaddyVersion, caddyVersionOf, featuresOf } from '#/web-server/caddyfile/version.ts'
import {
  type BuildStage,
  buildFailure,
  buildReport,
  buildStages,
  type Publisher,
} from '#/web-server/failures.ts'
import { boundAddresses, Unrenderable } from '#/web-server/rules.ts'
import type { Site } from '#/web-server/site.ts'
import type { NodeRecord } from '#/nodes/api.ts'

export const CADDY_UNIT = 'caddy.service'
/** Sockets of sites that only a Router on the same Node reaches. */
export const LOCAL_SITES = '/run/fleet-sites'
const CADDY = '/etc/caddy'
const LIVE = `${CADDY}/Caddyfile`
export const VERSIONS = `${CADDY}/fleet-versions`
const LOCKS = '/run/lock/fleet'
/** Held while a build replaces what is live. */
export const LOCK_FILE = `${LOCKS}/caddy.lock`
const ORDERING = `/etc/systemd/system/${CADDY_UNIT}.d/fleet.conf`
const SYSCTL = '/etc/sysctl.d/60-fleet-caddy.conf'
/** Root of the fleet in the system store, which the account of the server can read. */
export const ROOT_FILE = '/usr/local/share/ca-certificates/fleet-gateway.crt'

const OTHER_VERSIONS = 9
const LOCK_SECONDS = 30
const READY_SECONDS = 10
/** Of the SHA-256 of a file, which names its version. */
const VERSION_CHARACTERS = 32

export interface CaddyNode {
  readonly node: NodeRecord
  readonly sites: readonly Site[]
  readonly publisher: Publisher
  /** Where public certificates come from. */
  readonly acmeDirectory?: string | undefined
  /** Caddy itself says what it thinks of sites without their certificate; otherwise rendering throws `LeavesMissing`. */
  readonly mayLackLeaves: boolean
}

const AS_CADDY = textFile('as-caddy.sh', import.meta.url)

/** Caddy on a Node with one file for all sites (RTX-075 to RTX-081, RTX-090 to RTX-092). Rendering throws a build failure. */
export const caddyService = ({
  node,
  sites,
  publisher,
  acmeDirectory,
  mayLackLeaves,
}: CaddyNode): ManagedService => ({
  name: 'caddy',
  folders: [
    { path: CADDY, mode: '755', keeping: 'shared' },
    { path: VERSIONS, mode: '755', keeping: 'own' },
    { path: LOCKS, mode: '700', keeping: 'own' },
    { path: '/etc/sysctl.d', mode: '755', keeping: 'shared' },
    { path: `/etc/systemd/system/${CADDY_UNIT}.d`, mode: '755', keeping: 'shared' },
  ],
  files: [
    { path: ORDERING, mode: '644' },
    { path: SYSCTL, mode: '644' },
  ],
  links: [{ path: LIVE }],
  units: [{ name: CADDY_UNIT, file: 'foreign', isEnabled: true, onChange: 'reload' }],
  release: { folder: VERSIONS, keep: OTHER_VERSIONS },
  lock: { path: LOCK_FILE, seconds: LOCK_SECONDS, isPrivate: true },
  hooks: {
    facts: { source: textFile('facts.sh', import.meta.url), argument: CERTIFICATES },
    check: {
      source: AS_CADDY + textFile('check.sh', import.meta.url),
      argument: boundAddresses(sites).filter(isOwn).join(' '),
    },
    prepare: { source: textFile('prepare.sh', import.meta.url) },
    reload: { source: AS_CADDY + textFile('reload.sh', import.meta.url) },
  },
  ready: { kind: 'active', seconds: READY_SECONDS },
  removal: { paths: [] },
  render: ({ facts }) => {
    const version = caddyVersionOf(facts.text('caddy'))
    if (!version) throw new CaddyMissing()
    if (!mayLackLeaves && areLeavesMissing(facts, sites)) throw new LeavesMissing()
    const text = rendered({ node, sites, publisher, acmeDirectory }, version)
    const id = versionOf(text)
    return {
      files: { [ORDERING]: ORDERING_TEXT, [SYSCTL]: SYSCTL_TEXT },
      units: {},
      links: { [LIVE]: `${VERSIONS.slice(CADDY.length + 1)}/${id}/Caddyfile` },
      release: { id, files: { Caddyfile: text } },
      isStale: waitingLeaves(facts, sites).length > 0,
    }
  },
  failure: (reason, reported) => {
    const stage = buildStages.find((name) => name === reported?.stage) ?? STAGES[reason] ?? 'write'
    return buildReport({ node, publisher, stage, message: reported?.message ?? SAID[reason] })
  },
})

/** The certificates that Caddy reads for these sites. */
export const leavesOf = (sites: readonly Site[]): readonly LoadedLeaf[] =>
  [...new Set(sites.flatMap(({ tls }) => (tls.kind === 'leaf' ? [leafScopeOf(tls.file)] : [])))].map(
    (scope) => ({ scope, reload: CADDY_UNIT }),
  )

/** Those of them that Caddy had not been told of when the Node answered. */
export function waitingLeaves(facts: Answer, sites: readonly Site[]): readonly LoadedLeaf[] {
  const waiting = new Set(facts.text('waiting').split('\n'))
  return leavesOf(sites).filter(({ scope }) => waiting.has(scope))
}

function areLeavesMissing(facts: Answer, sites: readonly Site[]): boolean {
  const present = new Set(facts.text('present').split('\n'))
  return leavesOf(sites).some(({ scope }) => !present.has(scope))
}

/** A certificate of one of the sites is not on the Node, so that Caddy would refuse them all. */
export class LeavesMissing extends Error {}

/** The Node has no Caddy: nothing can be rendered for it. */
export class CaddyMissing extends Error {}

/** First 32 hex characters of the SHA-256 of a file (RTX-075). */
export const versionOf = (text: string): string => sha256(text).slice(0, VERSION_CHARACTERS)

/** `0.0.0.0` and `::` are every address. */
const isOwn = (address: string): boolean => address !== '0.0.0.0' && address !== '::'

const STAGES: Readonly<Partial<Record<FailureReason, BuildStage>>> = {
  busy: 'lock',
  lock_unsafe: 'lock',
  check_failed: 'validate',
  write_failed: 'write',
  switch_failed: 'swap',
  prepare_failed: 'reload',
  start_failed: 'reload',
  not_ready: 'reload',
  not_confirmed: 'reload',
}

const SAID: Readonly<Record<FailureReason, string>> = {
  account_failed: 'An account could not be made on the Node.',
  busy: 'Another build holds the web server of the Node.',
  folder_unsafe: 'Accounts other than root may change a folder of the web server.',
  lock_unsafe: 'Accounts other than root may change the lock of the web server.',
  not_admitted: 'The file belongs to somebody else.',
  check_failed: 'Caddy refused the file before it was used.',
  write_failed: 'The file could not be written on the Node.',
  switch_failed: 'The live file could not be replaced on the Node. The previous one is still in use.',
  prepare_failed: 'The Node could not be prepared for the file.',
  start_failed: 'Caddy rejected the file. The previous one is still in use.',
  not_ready: 'Caddy does not run with the file. The previous one is still in use.',
  not_confirmed: 'The Node does not have what was written.',
  stop_failed: 'Caddy could not be stopped.',
  script_failed: 'The build ended on the Node before its time.',
}

/** Throws the code of the publisher with the stage `render`. */
function rendered(
  { node, sites, publisher, acmeDirectory }: Omit<CaddyNode, 'mayLackLeaves'>,
  version: CaddyVersion,
): string {
  try {
    return renderCaddyfile(sites, { features: featuresOf(version), root: ROOT_FILE, acmeDirectory })
  } catch (error) {
    if (!(error instanceof Unrenderable)) throw error
    throw buildFailure({ node, publisher, stage: 'render', message: error.message })
  }
}

const ORDERING_TEXT = `# Written by Fleet. Changes made here are replaced.
[Unit]
Wants=network-online.target
After=network-online.target wg-quick@fleet.service
[Service]
ExecStartPre=+/usr/bin/install -d -m 0700 -o caddy -g caddy ${LOCAL_SITES}
`
const SYSCTL_TEXT = `# Written by Fleet. Changes made here are replaced.
net.ipv4.tcp_migrate_req = 1
`
