import { statSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { systemClock, systemIds } from '@fleet/kernel'
import { requireRoot } from '#/console/as-gateway.ts'
import { takeConsole } from '#/console/one-at-a-time.ts'
import { PLACES } from '#/console/places.ts'
import { Refusal } from '#/console/refusal.ts'
import { installedEnv } from '#/console/settings-file.ts'
import { Told } from '#/console/told.ts'
import { currentVersion, placeRelease } from '#/install/place-release.ts'
import type { InstalledRelease } from '#/release/installed-release.ts'
import { readManifest } from '#/release/manifest.ts'
import { runUpgrade } from './run.ts'
import { requireSpace } from './space.ts'
import { findOutcome, findUpgrade, saveUpgrade, type UpgradeState } from './state.ts'
import { upgradeSteps } from './steps.ts'
import { startUpgrader } from './unit.ts'
import { unpacked } from './unpack.ts'

const PAUSE_MILLISECONDS = 200

/** `fleet-gateway upgrade PATH`: moves to another release, and back when that fails its smoke check. */
export async function upgrade(words: readonly string[], release: InstalledRelease): Promise<number> {
  const { positionals } = parseArgs({ args: [...words], allowPositionals: true })
  const [path] = positionals
  if (path === undefined) throw new Refusal('usage: fleet-gateway upgrade FOLDER-OR-ARCHIVE')
  requireRoot()
  const told = new Told(systemClock)
  const waiting = findUpgrade()
  if (waiting) {
    told.line(`An upgrade to ${waiting.to} is already in progress.`)
    return follow(waiting, told)
  }
  const state = await prepared(path, release, told)
  await startUpgrader(release.folder)
  return follow(state, told)
}

/** Everything that may be refused without a change; the last thing is the state, from which on the unit carries it out. */
async function prepared(path: string, release: InstalledRelease, told: Told): Promise<UpgradeState> {
  using _console = takeConsole()
  const env = installedEnv()
  await told.step('space', () =>
    requireSpace([PLACES.releases, env.FLEET_HOME], env.FLEET_GATEWAY_RELEASE_MIN_FREE_MB),
  )
  const candidate = await told.step('unpack', async () => folderOf(path))
  const { version } = readManifest(candidate)
  if (version === currentVersion()) throw new Refusal(`Version ${version} is already running here.`)
  requireArchitecture(candidate, release)
  await told.step('release', () => placeRelease({ folder: candidate, manifest: readManifest(candidate) }))
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

const folderOf = async (path: string): Promise<string> => {
  try {
    return statSync(path).isDirectory() ? path : await unpacked(path)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
      throw new Refusal(`${path} does not exist.`)
    throw error
  }
}

function requireArchitecture(folder: string, { manifest }: InstalledRelease): void {
  const { architecture } = readManifest(folder)
  if (architecture !== manifest.architecture)
    throw new Refusal(`The release is for ${architecture}, and this machine is ${manifest.architecture}.`)
}

/** Shows the steps that the unit takes. Whoever stops watching stops nothing. */
async function follow({ id }: UpgradeState, told: Told): Promise<number> {
  let shown: UpgradeState | undefined
  for (;;) {
    const now = findUpgrade()
    if (now?.id === id && now.step !== shown?.step) {
      if (now.reason && !shown?.reason) told.line(`failed   ${now.reason.step}: ${now.reason.message}`)
      told.line(`${now.phase.padEnd(8)} ${now.step}`)
      shown = now
    }
    const outcome = now ? undefined : findOutcome()
    if (outcome?.id === id) return conclude(outcome, told)
    await systemClock.sleep(PAUSE_MILLISECONDS)
  }
}

function conclude({ to, from, reason }: UpgradeState, told: Told): number {
  told.line(
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
