import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '@fleet/kernel'
import { placeLink, readRootCertificate } from '@fleet/pki'
import {
  endRestoration,
  isRestoring,
  openBackup,
  placeBackup,
  requireBlank,
  requireReadable,
  restorationId,
} from '#/backup/restore.ts'
import { requireRoom } from '#/backup/room.ts'
import { requireRoot } from '#/console/as-gateway.ts'
import { takeConsole } from '#/console/one-at-a-time.ts'
import { PLACES } from '#/console/places.ts'
import { Refusal } from '#/console/refusal.ts'
import { inSessionOf } from '#/console/session.ts'
import { installedEnv, readSettingsFile, writeSettingsFile } from '#/console/settings-file.ts'
import { Report } from '#/console/report.ts'
import { undoneOnSignal } from '#/console/undone-on-signal.ts'
import { gatewayNames } from '#/names.ts'
import type { InstalledRelease } from '#/release/installed-release.ts'
import { ensureAccount } from './account.ts'
import { decide, HUB_PORT } from './decided.ts'
import { CLOSED_SSH, type FirstNode, provisionFirstNode } from './first-node.ts'
import { askUntil } from './https.ts'
import { lendAddress } from './lent-address.ts'
import { withListen } from './listen.ts'
import { HTTPS_PORT, ownHostKey, requireMachine } from './machine.ts'
import { INSTALL_USAGE, installOptions, type InstallOptions, type RestoreOptions } from './options.ts'
import { currentVersion, placeCommands, placeRelease } from './place-release.ts'
import { allowRootLogin, withdrawRootLogin } from './root-login.ts'
import { storeProfile } from './profile.ts'
import { nextOfRestored } from './restored.ts'
import { requireSameVersion } from './same-version.ts'
import { convergeTheRest } from './the-rest.ts'
import { foreignListeners, showPort, takenText, takerOf } from './taken-port.ts'
import { startService } from './unit.ts'

const ANSWER_SECONDS = 30
/** Far above any enrolment of the machine. */
const LOGIN_MILLISECONDS = 6 * 3600 * 1000

/** `./install`: a blank Debian machine becomes the gateway of a fleet, new or from a backup. Every step may be repeated. */
export async function install(words: readonly string[], release: InstalledRelease): Promise<number> {
  const hasBegun = existsSync(join(PLACES.home, 'gateway.id'))
  const options = await installOptions(words, hasBegun)
  if (!options) {
    process.stdout.write(INSTALL_USAGE)
    return 0
  }
  requireRoot()
  using _console = takeConsole()
  const report = new Report(systemClock)
  const start = systemClock.ticks()
  const hubPort = 'restore' in options ? undefined : (options.port ?? (hasBegun ? undefined : HUB_PORT))
  await report.step('machine', () => requireMachine({ ...release.manifest, hubPort }))
  requireSameVersion(release.manifest.version, {
    current: currentVersion(),
    listens: readSettingsFile()['FLEET_LISTEN'] !== undefined,
    isRestoring: isRestoring(),
  })
  const identity =
    'restore' in options ? await restored(options, release, report) : await founded(options, release, report)
  const { address, followUp } = await enrolled(identity, release, report)
  const origin = `https://${address}`
  try {
    await report.step('service', () => serve(address))
    await report.step('answer', () => requireAnswer(origin, address, release.manifest.version))
  } catch (error) {
    report.line(CLOSED_SSH)
    throw error
  }
  const { sha256 } = readRootCertificate(join(PLACES.home, 'ca'))
  await report.step('command line', () => storeProfile(identity.node.name, origin, sha256))
  endRestoration()
  if ('restore' in options) await restoreTheRest(release, report)
  report.line(farewell(identity, (systemClock.ticks() - start) / 1000))
  if (followUp !== null) report.line(followUp)
  return 0
}

/** Who this gateway is, once its home is there. */
interface Identity {
  readonly node: FirstNode
  readonly publicKey: string
  /** Of a Node that is recorded already. */
  readonly tunnelAddress?: string | undefined
  /** What a person does next. */
  readonly next: string
}

async function founded(
  options: InstallOptions,
  release: InstalledRelease,
  report: Report,
): Promise<Identity> {
  await report.step('release', () => settle(release))
  await report.step('account', ensureAccount)
  writeSettingsFile({ FLEET_HOME: PLACES.home })
  const { publicKey, node, network } = await report.step('identity', () =>
    inSessionOf(release)(async (session) => {
      const decided = await decide(session, options)
      await session.services.network.configure(decided.network)
      return { ...decided, publicKey: session.key.publicKey }
    }),
  )
  writeSettingsFile({ FLEET_APP_DEV_DOMAIN: network.suffix })
  return { node, publicKey, next: nextOfNew(publicKey) }
}

async function restored(
  { restore, passphraseFile, keepRecords }: RestoreOptions,
  release: InstalledRelease,
  report: Report,
): Promise<Identity> {
  using backup = await report.step('backup', () => openBackup(restore, passphraseFile))
  await requireReadable(backup, release.manifest.version)
  const isPlaced = requireBlank(backup.about)
  const restoration = { folder: backup.folder, id: restorationId(backup.about), keepRecords }
  if (!isPlaced) await requireRoom(restoration)
  await report.step('release', () => settle(release))
  await report.step('account', ensureAccount)
  if (!isPlaced) await report.step('records', () => placeBackup(backup, restoration))
  const publicKey = await report.step('identity', () =>
    inSessionOf(release)(async ({ key }) => key.publicKey),
  )
  const { name, wireguard_ip: address } = backup.about.node
  return {
    node: { name },
    publicKey,
    tunnelAddress: address ?? undefined,
    next: nextOfRestored(backup.about),
  }
}

async function settle(release: InstalledRelease): Promise<string> {
  const place = await placeRelease(release)
  placeLink(PLACES.current, place)
  placeCommands(place)
  return release.manifest.version
}

/** The service runs by now: some roles are its clients. */
const restoreTheRest = (release: InstalledRelease, report: Report): Promise<void> =>
  inSessionOf(release)((session) => convergeTheRest(session, report))

/** The machine becomes the gateway's own Node; root may log in with the gateway's key while this lasts. */
async function enrolled(
  { node, publicKey, tunnelAddress }: Identity,
  release: InstalledRelease,
  report: Report,
): Promise<{ readonly address: string; readonly followUp: string | null }> {
  const fingerprint = await ownHostKey()
  await using lent = new AsyncDisposableStack()
  using _undone = undoneOnSignal(() => {
    withdrawRootLogin()
    return lent.disposeAsync()
  })
  if (tunnelAddress !== undefined) lent.use(await lendAddress(tunnelAddress))
  allowRootLogin(publicKey, new Date(systemClock.now().getTime() + LOGIN_MILLISECONDS))
  try {
    const { wireguard_ip: address, follow_up: followUp } = await report.step('first Node', () =>
      inSessionOf(release)((session) => provisionFirstNode({ session, options: node, fingerprint, report })),
    )
    if (address === null) throw new Refusal('The first Node has no tunnel address.')
    return { address, followUp }
  } finally {
    withdrawRootLogin()
  }
}

async function serve(address: string): Promise<void> {
  const { FLEET_LISTEN: before } = readSettingsFile()
  const listen = withListen(before, address, HTTPS_PORT)
  // The settings of a backup already have the address; another release may have been started before this one.
  const changed = isRestoring() || before !== listen
  writeSettingsFile({ FLEET_LISTEN: listen })
  await startService(changed)
}

async function requireAnswer(origin: string, address: string, version: string): Promise<void> {
  const why = await askUntil(
    { origin, path: '/gateway/status', home: PLACES.home },
    ({ status }) => (status === 200 ? undefined : `it answered ${status}`),
    { clock: systemClock, seconds: ANSWER_SECONDS },
  )
  if (why === undefined) return
  const taker = takerOf(await foreignListeners(), { protocol: 'tcp', port: HTTPS_PORT, address })
  throw taker
    ? new Refusal(`Gateway ${version} cannot listen at ${origin}: ${takenText(taker)}`, showPort(taker))
    : new Refusal(`Gateway ${version} does not answer at ${origin}: ${why}`, 'journalctl -u fleet-gateway')
}

const farewell = ({ node, next }: Identity, seconds: number): string => `
The gateway ${node.name} is installed: ${seconds.toFixed(0)} s.

${next}
  fleet-gateway backup FILE    saves everything that cannot be recreated
  fleet-gateway status         shows the state of this installation

${CLOSED_SSH} To copy the next release here, use SSH over the
tunnel, from a Node of the fleet:
  scp fleet-*.tar.gz root@${gatewayNames(installedEnv())[0]}:
A Node without roles keeps its public SSH, so one small machine can serve as a jump host: ssh -J root@ITS-ADDRESS root@…
`

const nextOfNew = (publicKey: string): string => `Next, on this machine:
  fleet node:list
  fleet node:add NAME ADDRESS --host-key-fingerprint SHA256:…   enrolls a machine; first add this key to its /root/.ssh/authorized_keys:
  ${publicKey}
`
