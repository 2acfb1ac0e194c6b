import { parseArgs } from 'node:util'
import { type Clock, type Ids, systemClock, systemIds } from '@fleet/kernel'
import { requireRoot } from '#/console/as-gateway.ts'
import { Misuse, requireWords } from '#/console/misuse.ts'
import { takeConsole } from '#/console/one-at-a-time.ts'
import { Refusal } from '#/console/refusal.ts'
import { Report } from '#/console/report.ts'
import { currentVersion, placeRelease } from '#/install/place-release.ts'
import type { InstalledRelease } from '#/release/installed-release.ts'
import { type Manifest, readManifest } from '#/release/manifest.ts'
import { followUpgrade } from './follow.ts'
import { runUpgrade } from './run.ts'
import { requireSpace } from './space.ts'
import {
  findFailure,
  findOutcome,
  findUpgrade,
  inProgress,
  saveUpgrade,
  type UpgradeFailure,
  type UpgradeState,
} from './state.ts'
import { spaceNeed, upgradeSteps } from './steps.ts'
import { HANDED_OVER, isUpgraderRunning, startUpgrader } from './unit.ts'
import { releaseFolder, releaseVersion } from './unpack.ts'

/** `fleet-gateway upgrade PATH`: moves to another release, and back when that fails its smoke check. */
export async function upgrade(words: readonly string[], release: InstalledRelease): Promise<number> {
  const { positionals } = parseArgs({ args: [...words], allowPositionals: true })
  requireWords(positionals, 0, 1)
  const [path] = positionals
  requireRoot()
  return carryUpgrade(path, release, new Report(systemClock), thisMachine)
}

/** What an upgrade asks of its machine and changes there, before its unit has it. */
export interface UpgradeMachine {
  readonly clock: Clock
  readonly ids: Pick<Ids, 'uuid'>
  /** Keeps other console commands out. */
  takeConsole(): Disposable
  requireSpace(): Promise<void>
  releaseFolder(path: string): Promise<string>
  currentVersion(): string | undefined
  placeRelease(release: InstalledRelease): Promise<string>
  find(): UpgradeState | undefined
  findOutcome(): UpgradeState | undefined
  findFailure(state: UpgradeState): UpgradeFailure | undefined
  /** Version of the release at this path. */
  releaseVersion(path: string): Promise<string>
  save(state: UpgradeState): void
  /** Whether the unit carries an upgrade out. */
  isCarried(): Promise<boolean>
  /** Starts the unit with the release in this folder. */
  start(folder: string): Promise<void>
}

const thisMachine: UpgradeMachine = {
  clock: systemClock,
  ids: systemIds,
  takeConsole,
  requireSpace: () => requireSpace(spaceNeed()),
  releaseFolder,
  currentVersion,
  placeRelease,
  find: () => findUpgrade(),
  findOutcome: () => findOutcome(),
  findFailure: (state) => findFailure(state),
  releaseVersion,
  save: saveUpgrade,
  isCarried: isUpgraderRunning,
  start: startUpgrader,
}

/**
 * Starts an upgrade, or resumes the one that did not end, and follows it: 0 when the new release runs, 1 after the return.
 * Throws Refusal before anything changes.
 */
export async function carryUpgrade(
  path: string | undefined,
  release: InstalledRelease,
  report: Report,
  machine: UpgradeMachine,
): Promise<number> {
  const waiting = machine.find()
  if (waiting) {
    const isCarried = await machine.isCarried()
    if (path !== undefined) await requireSame(waiting, path, machine)
    report.line(inProgress(waiting, isCarried, machine.findFailure(waiting)))
    // Killed before its unit had it: the release is in place, and the state says where to begin.
    if (!isCarried) await machine.start(release.folder)
    return follow(waiting, report, machine)
  }
  if (path === undefined) throw new Misuse()
  const state = await prepared(path, release, report, machine)
  await machine.start(release.folder)
  return follow(state, report, machine)
}

/** Who names a release waits for that one: the end of another would be taken for its own. */
async function requireSame({ to, step }: UpgradeState, path: string, machine: UpgradeMachine): Promise<void> {
  const version = await machine.releaseVersion(path)
  if (version !== to)
    throw new Refusal(
      `An upgrade to ${to} has not ended, at ${step}; this release is ${version}.`,
      '`fleet-gateway upgrade` without a path resumes and shows that upgrade.',
    )
}

/** Everything that may be refused without a change; the last thing is the state, from which on the unit carries it out. */
async function prepared(
  path: string,
  release: InstalledRelease,
  report: Report,
  machine: UpgradeMachine,
): Promise<UpgradeState> {
  using _console = machine.takeConsole()
  await report.step('space', () => machine.requireSpace())
  const folder = await report.step('unpack', () => machine.releaseFolder(path))
  const manifest = readManifest(folder)
  const { version } = manifest
  if (version === machine.currentVersion()) throw new Refusal(`Version ${version} is already running here.`)
  requireArchitecture(manifest, release)
  await report.step('release', () => machine.placeRelease({ folder, manifest }))
  const state: UpgradeState = {
    id: machine.ids.uuid(),
    from: release.manifest.version,
    to: version,
    started_at: machine.clock.now().toISOString(),
    phase: 'forward',
    step: 'begin',
    snapshot: null,
    reason: null,
  }
  machine.save(state)
  return state
}

function requireArchitecture({ architecture }: Manifest, { manifest }: InstalledRelease): void {
  if (architecture !== manifest.architecture)
    throw new Refusal(`The release is for ${architecture}, and this machine is ${manifest.architecture}.`)
}

const follow = async (state: UpgradeState, report: Report, machine: UpgradeMachine): Promise<number> =>
  conclude(
    await followUpgrade(state, {
      clock: machine.clock,
      say: (line) => report.line(line),
      find: () => machine.find(),
      findOutcome: () => machine.findOutcome(),
      findFailure: (now) => machine.findFailure(now),
      isCarried: () => machine.isCarried(),
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
  const ended = await runUpgrade(state, upgradeSteps({ clock: systemClock, release }))
  return ended ? 0 : HANDED_OVER
}
