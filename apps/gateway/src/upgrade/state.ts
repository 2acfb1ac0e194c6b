import { existsSync, readFileSync, rmSync } from 'node:fs'
import { replaceFile } from '@fleet/pki'
import * as z from 'zod'
import { UPGRADE_UNIT } from '#/console/places.ts'

export const FORWARD = ['begin', 'drain', 'snapshot', 'switch', 'start', 'smoke', 'tick'] as const
export const BACK = ['stop', 'records', 'switch-back', 'start-back', 'smoke-back'] as const
export const LAST = ['tell'] as const

const state = z.strictObject({
  id: z.uuid(),
  from: z.string(),
  to: z.string(),
  started_at: z.string(),
  phase: z.enum(['forward', 'back', 'last']),
  /** The step that is at work, or was when the process died. */
  step: z.enum([...FORWARD, ...BACK, ...LAST]),
  /** Database snapshot from before the new release; null until there is one. */
  snapshot: z.string().nullable(),
  /** Why it goes back; null while it does not. */
  reason: z.strictObject({ step: z.string(), message: z.string() }).nullable(),
})

/** Everything that an upgrade must know after it was killed, written before each step. */
export type UpgradeState = z.output<typeof state>

/** Why a step did not succeed that is repeated until it does. */
const failure = z.strictObject({ id: z.uuid(), step: z.string(), message: z.string() })

/** A file of its own: an older release that resumes the upgrade refuses a state with members that it does not know. */
export type UpgradeFailure = z.output<typeof failure>

/** Files of the upgrade below /opt/fleet. */
export interface UpgradeFiles {
  readonly state: string
  /** What the last upgrade came to. */
  readonly outcome: string
  /** Why the step at work failed the last time. */
  readonly failure: string
  /** While it is there, the unit of the gateway does not start. */
  readonly hold: string
}

export const UPGRADE_FILES: UpgradeFiles = {
  state: '/opt/fleet/upgrade.json',
  outcome: '/opt/fleet/upgraded.json',
  failure: '/opt/fleet/upgrade.failure',
  hold: '/opt/fleet/upgrade.hold',
}

const parsed = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'))
const read = (path: string): UpgradeState | undefined =>
  existsSync(path) ? state.parse(parsed(path)) : undefined
const write = (path: string, value: UpgradeState | UpgradeFailure): void =>
  replaceFile(path, `${JSON.stringify(value)}\n`, 0o644)

/** The upgrade in progress; undefined when there is none. */
export const findUpgrade = (files: UpgradeFiles = UPGRADE_FILES): UpgradeState | undefined =>
  read(files.state)
export const findOutcome = (files: UpgradeFiles = UPGRADE_FILES): UpgradeState | undefined =>
  read(files.outcome)

export function saveUpgrade(value: UpgradeState, files: UpgradeFiles = UPGRADE_FILES): void {
  write(files.state, value)
}

export function noteFailure(value: UpgradeFailure, files: UpgradeFiles = UPGRADE_FILES): void {
  write(files.failure, value)
}

/** Why the step at which an upgrade is failed the last time; undefined when it has not. */
export function findFailure(
  { id, step }: UpgradeState,
  files: UpgradeFiles = UPGRADE_FILES,
): UpgradeFailure | undefined {
  if (!existsSync(files.failure)) return undefined
  const { data: found } = failure.safeParse(parsed(files.failure))
  return found?.id === id && found.step === step ? found : undefined
}

/** What a person reads of an upgrade that has not ended. */
export const inProgress = (
  { to, step }: UpgradeState,
  isCarried: boolean,
  failed: UpgradeFailure | undefined,
): string =>
  (isCarried
    ? `An upgrade to ${to} is in progress, at ${step}.`
    : `An upgrade to ${to} was interrupted at ${step}; \`fleet-gateway upgrade\` resumes it.`) +
  (failed ? ` That failed the last time: ${failureText(failed)}` : '')

export const failureText = ({ message }: UpgradeFailure): string =>
  `${message} (journalctl -u ${UPGRADE_UNIT})`

/** What a person reads of upgrades: of the one in progress, or else of the last one. */
export function upgradeText(
  running: UpgradeState | undefined,
  isCarried: boolean,
  last: UpgradeState | undefined,
  failed?: UpgradeFailure,
): string {
  if (running) return inProgress(running, isCarried, failed)
  if (!last) return 'none yet'
  return last.reason
    ? `${last.to} failed at ${last.reason.step} and was rolled back to ${last.from}: ${last.reason.message}`
    : `${last.from} to ${last.to}, ${last.started_at}`
}

/** The outcome is there before the state goes, so that whoever follows it never sees neither. */
export function endUpgrade(value: UpgradeState, files: UpgradeFiles = UPGRADE_FILES): void {
  write(files.outcome, value)
  rmSync(files.state, { force: true })
  rmSync(files.failure, { force: true })
}
