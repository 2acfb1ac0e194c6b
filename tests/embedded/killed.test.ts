import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '@fleet/testing/free-port'
import { makeGate } from './gate.ts'
import { type EmbeddedFleet, startEmbedded, temporaryHome } from './harness.ts'
import { interrupt } from './interrupt.ts'
import { activityOf } from './residue.ts'
import {
  type Ground,
  type Stop,
  walkCreations,
  walkRemovals,
  walkSynchronizations,
  walkUpdates,
} from './walk.ts'

/** A fleet that is killed and started again on the same home and port. */
interface FleetUnderTest extends Ground {
  fleet: EmbeddedFleet
  restart(): Promise<void>
}

async function withFleet(work: (site: FleetUnderTest) => Promise<void>): Promise<void> {
  using home = temporaryHome()
  using folder = temporaryHome()
  const gate = makeGate(folder.path, join(home.path, 'nodes'))
  const options = { home: home.path, port: await freePort(), sample: true, env: { PATH: gate.path } }
  const site = {
    fleet: await startEmbedded(options),
    gate,
    nodeHome: join(home.path, 'nodes/node-1'),
    restart: async () => {
      site.fleet = await startEmbedded(options)
    },
  }
  try {
    await work(site)
  } finally {
    gate.open()
    await site.fleet[Symbol.asyncDispose]()
  }
}

/**
 * Kills the gateway at a command of the Node. Odd numbers take the command down too, as when the machine itself dies;
 * even ones leave it running to its end, as when only the gateway does.
 */
const killing =
  (site: FleetUnderTest): Stop =>
  async (at, asked) => {
    const { requestId, answer, wasHeld } = await interrupt(
      site.fleet,
      site.gate,
      at,
      asked,
      async (group) => {
        await site.fleet.end('SIGKILL')
        if (at % 2 === 1) process.kill(-group, 'SIGKILL')
        else site.gate.open()
        await groupEnd(group)
      },
    )
    assert.ok(wasHeld, `command ${at} was reached`)
    assert.equal(answer, undefined)
    await site.restart()
    assert.deepEqual(activityOf(site.fleet.home, requestId), ['failed activity.interrupted'])
  }

async function groupEnd(group: number): Promise<void> {
  while (isRunning(group)) await sleep(10)
}

// A dead process whose parent is gone keeps its number until somebody collects it, so asking for the number is not enough.
const isRunning = (group: number): boolean =>
  spawnSync('ps', ['-eo', 'pgid=,stat='], { encoding: 'utf8' })
    .stdout.split('\n')
    .map((line) => line.trim().split(/ +/))
    .some(([of, state]) => Number(of) === group && !state?.startsWith('Z'))

test('a creation killed at any stage is finished by the identical request, with nothing left over [INS-050]', () =>
  withFleet((site) => walkCreations(site, killing(site))))

test('a removal killed at any stage is finished by the identical request, with nothing left over [INS-113, INS-116]', () =>
  withFleet((site) => walkRemovals(site, killing(site))))

test('a synchronization killed at any stage leaves the old file or the new one, and the identical request finishes it [ENV-045]', () =>
  withFleet((site) => walkSynchronizations(site, killing(site))))

test('an update of a Project killed at any stage is finished by the identical request, and its checkout keeps what is in it [PRJ-044]', () =>
  withFleet((site) => walkUpdates(site, killing(site))))
