import { join } from 'node:path'
import { placeLink } from '@fleet/pki'
import { run } from '@fleet/shell'
import { PLACES, UPGRADE_UNIT } from '#/console/places.ts'
import { type Programs, systemPrograms } from '#/console/programs.ts'
import { writeUnit } from '#/install/unit.ts'
import { UPGRADE_FILES } from './state.ts'

const UNIT_FILE = `/etc/systemd/system/${UPGRADE_UNIT}`
/** Leads to the release that carries an upgrade out. */
export const UPGRADER = join(PLACES.base, 'upgrader')

/**
 * Performs an upgrade independently of whoever requested it, and resumes it after it was killed or the machine
 * restarted.
 */
const unitText = (): string => `[Unit]
Description=Upgrade of the Fleet gateway
After=network-online.target wg-quick@fleet.service
Wants=network-online.target
ConditionPathExists=${UPGRADE_FILES.state}
StartLimitIntervalSec=0

[Service]
Type=oneshot
ExecStart=${join(UPGRADER, 'bin/fleet-gateway')} upgrade-run
Restart=on-failure
RestartSec=2
TimeoutStartSec=infinity

[Install]
WantedBy=multi-user.target
`

/** Exit status of a run that another release continues: the unit starts again, as the release that its link then names. */
export const HANDED_OVER = 75

const RUNNING = new Set(['active', 'activating', 'reloading', 'deactivating'])

/** Whether the unit carries an upgrade out, or is about to again after it was killed. */
export async function isUpgraderRunning({ attempt }: Programs = systemPrograms): Promise<boolean> {
  const { stdout } = await attempt(run('systemctl', 'is-active', UPGRADE_UNIT))
  return RUNNING.has(stdout.toString('utf8').trim())
}

/** Where an upgrade is carried out from. */
export interface UpgraderPlaces {
  /** Leads to the release that carries it out. */
  readonly link: string
  readonly unitFile: string
}

/** Starts it with the release from before: that one is known to work. */
export async function startUpgrader(
  release: string,
  programs: Programs = systemPrograms,
  { link, unitFile }: UpgraderPlaces = { link: UPGRADER, unitFile: UNIT_FILE },
): Promise<void> {
  placeLink(link, release)
  await writeUnit(unitFile, unitText(), programs)
  await programs.must(run('systemctl', 'enable', '--quiet', UPGRADE_UNIT))
  await programs.must(run('systemctl', 'start', '--no-block', UPGRADE_UNIT))
}
