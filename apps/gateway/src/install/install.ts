import { join } from 'node:path'
import { systemClock } from '@fleet/kernel'
import { readRootCertificate } from '@fleet/pki'
import { asGateway, requireRoot } from '#/console/as-gateway.ts'
import { takeConsole } from '#/console/one-at-a-time.ts'
import { PLACES } from '#/console/places.ts'
import { Refusal } from '#/console/refusal.ts'
import { openSession, type Session } from '#/console/session.ts'
import { readSettingsFile, writeSettingsFile } from '#/console/settings-file.ts'
import { Told } from '#/console/told.ts'
import type { InstalledRelease } from '#/release/installed-release.ts'
import { ensureAccount } from './account.ts'
import { provisionFirstNode } from './first-node.ts'
import { askUntil } from './https.ts'
import { ownHostKey, requireMachine } from './machine.ts'
import { INSTALL_USAGE, installOptions, type InstallOptions } from './options.ts'
import { currentVersion, placeCommands, placeRelease, setLink } from './place-release.ts'
import { allowRootLogin, withdrawRootLogin } from './root-login.ts'
import { storeProfile, trustRoot } from './trust.ts'
import { startService } from './unit.ts'

const ANSWER_SECONDS = 30
const HTTPS_PORT = 443

/** `./install`: a blank Debian machine becomes the gateway of a fleet. Every step may be repeated. */
export async function install(words: readonly string[], release: InstalledRelease): Promise<number> {
  const options = await installOptions(words)
  if (!options) {
    process.stdout.write(INSTALL_USAGE)
    return 0
  }
  requireRoot()
  using _console = takeConsole()
  const told = new Told(systemClock)
  const start = systemClock.ticks()
  await told.step('machine', () => requireMachine(release.manifest))
  requireSameVersion(release)
  await told.step('release', () => settle(release))
  await told.step('account', ensureAccount)
  writeSettingsFile({ FLEET_HOME: PLACES.home, FLEET_APP_DEV_DOMAIN: options.suffix })
  const node = await enrolled(options, release, told)
  const origin = `https://${node.address}`
  await told.step('service', () => serve(node.address))
  await told.step('answer', () => requireAnswer(origin, release.manifest.version))
  await told.step('system trust', () => trustRoot(PLACES.home))
  const { sha256 } = await readRootCertificate(join(PLACES.home, 'ca'))
  await told.step('command line', () => storeProfile(options.name, origin, sha256))
  told.line(farewell(options, node.publicKey, (systemClock.ticks() - start) / 1000))
  return 0
}

/** Another version goes through the upgrade, which can return; an installation that never served may change its mind. */
function requireSameVersion({ manifest }: InstalledRelease): void {
  const current = currentVersion()
  const hasServed = readSettingsFile()['FLEET_LISTEN'] !== undefined
  if (hasServed && current !== undefined && current !== manifest.version)
    throw new Refusal(
      `Version ${current} is installed here; this release is ${manifest.version}.`,
      'fleet-gateway upgrade FOLDER-OR-ARCHIVE',
    )
}

async function settle(release: InstalledRelease): Promise<string> {
  const place = await placeRelease(release)
  setLink(PLACES.current, place)
  placeCommands(place)
  return release.manifest.version
}

interface Enrolled {
  readonly address: string
  readonly publicKey: string
}

/** Identity and records, as the user that the process will run as; root may log in with the new key while this lasts. */
async function enrolled(options: InstallOptions, release: InstalledRelease, told: Told): Promise<Enrolled> {
  const fingerprint = await ownHostKey()
  const publicKey = await told.step('identity', () =>
    asGateway(async () => {
      await using session = await openSession(release)
      await configure(session, options)
      return session.key.publicKey
    }),
  )
  allowRootLogin(publicKey)
  try {
    const node = await told.step('first Node', () =>
      asGateway(async () => {
        await using session = await openSession(release)
        return await provisionFirstNode({ session, options, fingerprint, told })
      }),
    )
    if (node.wireguard_ip === null) throw new Refusal('The first Node has no tunnel address.')
    return { address: node.wireguard_ip, publicKey }
  } finally {
    withdrawRootLogin()
  }
}

const configure = ({ services }: Session, { range, port, suffix }: InstallOptions): Promise<void> =>
  services.network.configure({ range, hubPort: port, endpoint: null, suffix })

async function serve(address: string): Promise<void> {
  const listen = `${address}:${HTTPS_PORT}`
  const changed = readSettingsFile()['FLEET_LISTEN'] !== listen
  writeSettingsFile({ FLEET_LISTEN: listen })
  await startService(changed)
}

async function requireAnswer(origin: string, version: string): Promise<void> {
  const why = await askUntil(
    { origin, path: '/gateway/status', home: PLACES.home },
    ({ status }) => (status === 200 ? undefined : `it answered ${status}`),
    { clock: systemClock, seconds: ANSWER_SECONDS },
  )
  if (why !== undefined)
    throw new Refusal(
      `The gateway ${version} does not answer at ${origin}: ${why}`,
      'journalctl -u fleet-gateway',
    )
}

const farewell = ({ name, suffix }: InstallOptions, publicKey: string, seconds: number): string => `
The gateway ${name} is installed: ${seconds.toFixed(0)} s. Its certificate holds gateway.${suffix}.

Next, on this machine:
  fleet node:list
  fleet node:add NAME ADDRESS --host-key-fingerprint SHA256:…   enrolls a machine; first let root log in there with this key:
  ${publicKey}

  fleet-gateway backup FILE    keeps what cannot be made again
  fleet-gateway status         tells how this installation is
`
