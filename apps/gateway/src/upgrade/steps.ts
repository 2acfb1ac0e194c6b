import { join } from 'node:path'
import type { Clock } from '@fleet/kernel'
import { placeLink } from '@fleet/pki'
import { asGateway } from '#/console/as-gateway.ts'
import { PLACES } from '#/console/places.ts'
import { inSessionOf } from '#/console/session.ts'
import { installedEnv, recordsPlace } from '#/console/settings-file.ts'
import { placeCommands } from '#/install/place-release.ts'
import type { InstalledRelease } from '#/release/installed-release.ts'
import { verifyRelease } from '#/release/manifest.ts'
import { noteBegin, noteOutcome } from './activity.ts'
import { pruneReleases } from './prune.ts'
import type { UpgradeSteps } from './run.ts'
import { gatewayService, systemMachine } from './service.ts'
import { requireSmoke, requireTick } from './smoke.ts'
import { requireSpace, type SpaceNeed } from './space.ts'
import {
  pruneSnapshots,
  requireRestorable,
  restoreDatabase,
  snapshotDatabase,
  snapshotEnding,
  snapshotFolder,
} from './snapshot.ts'
import { endUpgrade, noteFailure, saveUpgrade } from './state.ts'
import { UPGRADER } from './unit.ts'

export interface StepDeps {
  readonly clock: Clock
  /** The release that carries the upgrade out: the one from before, and the one that then runs for its end. */
  readonly release: InstalledRelease
}

/** What an upgrade of this machine takes on its disks. */
export const spaceNeed = (): SpaceNeed => ({
  releases: PLACES.releases,
  records: recordsPlace(),
  leastMegabytes: installedEnv().FLEET_GATEWAY_RELEASE_MIN_FREE_MB,
})

const folderOf = (version: string): string => join(PLACES.releases, version)

/** The steps of an upgrade on this machine. Between `drain` and `start` no gateway runs, whatever happens. */
export function upgradeSteps({ clock, release }: StepDeps): UpgradeSteps {
  const service = gatewayService(systemMachine(clock))
  const inSession = inSessionOf(release)
  return {
    forward: {
      async begin(state) {
        await requireSpace(spaceNeed())
        await verifyRelease(folderOf(state.to))
        await noteBegin(inSession, state)
        return {}
      },
      async drain() {
        await service.drain(installedEnv().FLEET_GATEWAY_RELEASE_SCHEDULER_DRAIN_SECONDS)
        return {}
      },
      async snapshot({ id, started_at: startedAt }) {
        await service.stop()
        const records = recordsPlace()
        const snapshot = await asGateway(async () => {
          const name = `${startedAt.replaceAll(/[^0-9TZ]/g, '')}-${id.slice(0, 8)}`
          const target = join(snapshotFolder(records.home), name + snapshotEnding(records))
          await snapshotDatabase(records, target)
          await requireRestorable(records, target)
          return target
        })
        return { snapshot }
      },
      async switch({ to }) {
        await service.stop()
        switchTo(to)
        return {}
      },
      async start() {
        await service.start()
        return {}
      },
      async smoke({ to }) {
        await requireSmoke(to, clock)
        return {}
      },
      async tick({ to, started_at: startedAt }) {
        await requireTick(to, new Date(startedAt), clock)
        return {}
      },
    },
    back: {
      stop: service.stop,
      async records({ snapshot, reason }) {
        service.hold()
        // Before the switch no other release had the database in its hands.
        if (snapshot === null || reason?.step === 'snapshot') return
        await asGateway(() => restoreDatabase(recordsPlace(), snapshot))
      },
      'switch-back': async ({ from }) => {
        service.hold()
        switchTo(from)
      },
      'start-back': service.start,
      'smoke-back': ({ from }) => requireSmoke(from, clock),
    },
    version: release.manifest.version,
    handOver: (version) => placeLink(UPGRADER, folderOf(version)),
    async tell(state) {
      await noteOutcome(inSession, state)
      const env = installedEnv()
      pruneReleases(PLACES.releases, env.FLEET_GATEWAY_RELEASES_KEEP, new Set([state.from, state.to]))
      const { FLEET_HOME: home, FLEET_GATEWAY_RELEASE_SNAPSHOTS_KEEP: keep } = env
      await asGateway(async () => pruneSnapshots(home, keep, state.snapshot))
    },
    save: saveUpgrade,
    noteFailure,
    end: endUpgrade,
  }
}

function switchTo(version: string): void {
  const folder = folderOf(version)
  placeLink(PLACES.current, folder)
  placeCommands(folder)
}
