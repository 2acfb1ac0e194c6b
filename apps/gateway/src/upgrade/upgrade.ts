import { parseArgs } from 'node:util'
import { systemClock, systemIds } from '@fleet/kernel'
import { requireRoot } from '#/console/as-gateway.ts'
import { Misuse, requireWords } from '#/console/misuse.ts'
import { takeConsole } from '#/console/one-at-a-time.ts'
import { PLACES } from '#/console/places.ts'
import { Refusal } from '#/console/refusal.ts'
import { installedEnv } from '#/console/settings-file.ts'
import { Report } from '#/console/report.ts'
import { currentVersion, placeRelease } from '#/install/place-release.ts'
import type { InstalledRelease } from '#/release/installed-release.ts'
import { readManifest } from '#/release/manifest.ts'
import { followUpgrade } from './follow.ts'
import { runUpgrade } from './run.ts'
import { requireSpace } from './space.ts'
import { findOutcome, findUpgrade, inProgress, saveUpgrade, type UpgradeState } from './state.ts'
import { upgradeSteps } from './steps.ts'
import { isUpgraderRunning, startUpgrader } from './unit.ts'
import { releaseFolder } from './unpack.ts'

/** `fleet-gateway upgrade PATH`: moves to another release, and back when that fails its smoke check. */
export async function upgrade(words: readonly string[], release: InstalledRelease): Promise<number> {
  const { positionals } = parseArgs({ args: [...words], allowPositionals: true })
  requireWords(positionals, 0, 1)
  const [path] = positionals
  requireRoot()
  const report = new Report(systemClock)
  const waiting = findUpgrade()
  if (waiting) {
    const isCarried = await isUpgraderRunning()
    report.line(inProgress(waiting, isCarried))
    // Killed before its unit had it: the release is in place, and the state says where to begin.
    if (!isCarried) await startUpgrader(release.folder)
    return follow(waiting, report)
  }
  if (path === undefined) throw new Misuse()
  const state = await prepared(path, release, report)
  await startUpgrader(release.folder)
  return follow(state, report)
}

/** Everything that may be refused without a change; the last thing is the state, from which on the unit carries it out. */
async function prepared(path: string, release: InstalledRelease, report: Report): Promise<UpgradeState> {
  using _console = takeConsole()
  const env = installedEnv()
  await report.step('space', () =>
    requireSpace([PLACES.releases, env.FLEET_HOME], env.FLEET_GATEWAY_RELEASE_MIN_FREE_MB),
  )
  const candidate = await report.step('unpack', () => releaseFolder(path))
  const { version } = readManifest(candidate)
  if (version === currentVersion()) throw new Refusal(`Version ${version} is already running here.`)
  requireArchitecture(candidate, release)
  await report.step('release', () => placeRelease({ folder: candidate, manifest: readManifest(candidate) }))
  const state: UpgradeState = {
    id: systemIds.uuid(),
    from: release.manifest.version,
    to: version,
    started_at: systemClock.now().toISOString(),
    phase: 'forward',
    step: 'begin',
    snapshot: null,
    reason: null,
  }
  saveUpgrade(state)
  return state
}

function requireArchitecture(folder: string, { manifest }: InstalledRelease): void {
  const { architecture } = readManifest(folder)
  if (architecture !== manifest.architecture)
    throw new Refusal(`The release is for ${architecture}, and this machine is ${manifest.architecture}.`)
}

const follow = async (state: UpgradeState, report: Report): Promise<number> =>
  conclude(
    await followUpgrade(state, {
      clock: systemClock,
      say: (line) => report.line(line),
      find: () => findUpgrade(),
      findOutcome: () => findOutcome(),
      isCarried: isUpgraderRunning,
    }),
    report,
  )

function conclude({ to, from, reason }: UpgradeState, report: Report): number {
  report.line(
    reason
      ? `The gateway was rolled back to ${from}: ${to} failed at ${reason.step}. ${reason.message}`
      : `The gateway now runs ${to}.`,
  )
  return reason ? 1 : 0
}

/** `fleet-gateway upgrade-run`, called by the unit. */
export async function upgradeRun(_words: readonly string[], release: InstalledRelease): Promise<number> {
  requireRoot()
  const state = findUpgrade()
  if (!state) return 0
  using _console = takeConsole()
  const say = (text: string): void => void process.stdout.write(`${text}\n`)
  await runUpgrade(state, upgradeSteps({ clock: systemClock, release, say }))
  return 0
}
