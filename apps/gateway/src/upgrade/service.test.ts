import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readlinkSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { Refusal } from '#/console/refusal.ts'
import { startService } from '#/install/unit.ts'
import { type Clock, systemClock } from '@fleet/kernel'
import type { CommandResult } from '@fleet/ssh'
import type { Programs } from '#/console/programs.ts'
import { gatewayService } from './service.ts'
import { UPGRADE_UNIT } from '#/console/places.ts'
import { isUpgraderRunning, startUpgrader } from './unit.ts'

const UNIT = 'fleet-gateway.service'
const LOOK = `systemctl show --property=ActiveState --value ${UNIT}`
const UPGRADE_LOOK = `systemctl is-active ${UPGRADE_UNIT}`

interface Given {
  /** States that the unit is in, one for each look; the last stays. */
  readonly states?: readonly string[]
  readonly failing?: string
}

/** A machine whose systemd answers these states, and everything done to it in order; time passes while somebody sleeps alone. */
function machineOf(context: TestContext, { states = ['active'], failing }: Given = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'fleet-unit-'))
  context.after(() => rmSync(folder, { recursive: true }))
  const [holdFile, unitFile] = [join(folder, 'upgrade.hold'), join(folder, 'fleet-gateway.service')]
  const link = join(folder, 'upgrader')
  const done: string[] = []
  let [looks, now] = [0, 0]
  const attempt = async ({ shown }: { readonly shown: string }): Promise<CommandResult> => {
    if (done.push(shown) > 1000) assert.fail('it looks without a pause')
    const stdout =
      shown === LOOK || shown === UPGRADE_LOOK
        ? `${states[Math.min(looks++, states.length - 1)] ?? ''}\n`
        : ''
    const exitCode = shown === failing ? 1 : 0
    return { exitCode, signal: null, stdout: Buffer.from(stdout), stderr: Buffer.alloc(0) }
  }
  const programs: Programs = {
    attempt,
    must: async (command) => {
      const { exitCode, stdout } = await attempt(command)
      if (exitCode !== 0) throw new Refusal(`${command.shown} failed`)
      return stdout.toString('utf8')
    },
  }
  const clock: Clock = {
    ...systemClock,
    ticks: () => now,
    sleep: async (milliseconds) => void (now += milliseconds),
  }
  const service = gatewayService({ clock, programs, holdFile })
  const isHeld = (): boolean => existsSync(holdFile)
  return { service, programs, done, unitFile, link, isHeld, waited: () => now }
}

const systemctl = (...words: readonly string[]): string => ['systemctl', ...words, UNIT].join(' ')

test('a gateway that runs is asked to finish, waited for until it has, and stopped; from then on it does not start', async (context) => {
  for (const state of ['active', 'deactivating', 'reloading']) {
    const { service, done, isHeld, waited } = machineOf(context, {
      states: ['active', state, state, 'failed'],
    })
    await service.drain(60)
    const finish = systemctl('kill', '--kill-whom=main', '--signal=SIGUSR2')
    assert.deepEqual(done, [LOOK, finish, LOOK, LOOK, LOOK, systemctl('stop')])
    assert.deepEqual([isHeld(), waited()], [true, 500])
  }
})

test('a gateway that does not finish is stopped once its time is over, and one that does not run is asked for nothing', async (context) => {
  const busy = machineOf(context)
  await busy.service.drain(2)
  assert.equal(busy.waited(), 2000)
  assert.equal(busy.done.at(-1), systemctl('stop'))
  const idle = machineOf(context, { states: ['inactive'] })
  await idle.service.drain(2)
  assert.deepEqual([idle.waited(), idle.done], [0, [LOOK, LOOK, systemctl('stop')]])
})

test('what keeps the gateway from starting is there before it stops, stays when it cannot be stopped, and goes before it starts', async (context) => {
  const stuck = machineOf(context, { failing: systemctl('stop') })
  await assert.rejects(stuck.service.stop(), Refusal)
  assert.equal(stuck.isHeld(), true)
  const { service, done, isHeld } = machineOf(context, { failing: systemctl('reset-failed') })
  service.hold()
  await service.start()
  assert.deepEqual([isHeld(), done], [false, [systemctl('reset-failed'), systemctl('start')]])
  const broken = machineOf(context, { failing: systemctl('start') })
  await assert.rejects(broken.service.start(), Refusal)
})

test('an installed gateway is restarted when its unit or its settings changed, and otherwise only started', async (context) => {
  const { programs, done, unitFile } = machineOf(context)
  const install = async (changed: boolean): Promise<readonly string[]> => {
    done.length = 0
    await startService(changed, unitFile, programs)
    return [...done]
  }
  const enable = systemctl('enable', '--quiet')
  assert.deepEqual(await install(false), ['systemctl daemon-reload', enable, systemctl('restart')])
  assert.deepEqual(await install(false), [enable, systemctl('start')])
  assert.deepEqual(await install(true), [enable, systemctl('restart')])
})

test('the unit of an upgrade is started with the release from before, and nobody waits for it', async (context) => {
  const { programs, done, unitFile, link } = machineOf(context)
  const carry = async (release: string): Promise<readonly string[]> => {
    done.length = 0
    await startUpgrader(release, programs, { link, unitFile })
    assert.equal(readlinkSync(link), release)
    return [...done]
  }
  const started = [`systemctl enable --quiet ${UPGRADE_UNIT}`, `systemctl start --no-block ${UPGRADE_UNIT}`]
  assert.deepEqual(await carry('/opt/fleet/releases/v1'), ['systemctl daemon-reload', ...started])
  assert.deepEqual(await carry('/opt/fleet/releases/v2'), started)
})

test('an upgrade is carried out while its unit runs, or is about to again after it was killed', async (context) => {
  for (const [state, isCarried] of [
    ['active', true],
    ['activating', true],
    ['reloading', true],
    ['deactivating', true],
    ['inactive', false],
    ['failed', false],
    ['', false],
  ] as const)
    assert.equal(await isUpgraderRunning(machineOf(context, { states: [state] }).programs), isCarried, state)
})
