import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { script } from '@fleet/shell'
import { localSession, serviceHost } from '@fleet/testing'
import { unitsQuestion } from '#/roles/checks/units-question.ts'
import { ensureUnits } from '#/roles/commands/start-units.ts'

const UNITS = ['caddy.service', 'php*-fpm.service']

/** A machine with the units of a web role. */
function startWorld(context: TestContext) {
  const host = serviceHost()
  context.after(() => host[Symbol.dispose]())
  const { systemd, pool } = host
  for (const unit of ['caddy.service', 'php8.2-fpm.service', 'php8.4-fpm.service']) systemd.addForeign(unit)
  const session = localSession(pool)
  const question = unitsQuestion(UNITS)
  return {
    systemd,
    ensure: () => ensureUnits(session, UNITS),
    inactive: async () => {
      const { stdout, exitCode } = await session.run(script(question.source, ...(question.args ?? [])))
      return question.read({ exitCode: exitCode ?? 1, text: stdout.toString('utf8').trimEnd() })
    },
  }
}

test('a unit whose reload has no end does not run, and is told with its state', async (context) => {
  const { systemd, ensure, inactive } = startWorld(context)
  await ensure()
  systemd.hang('caddy.service')
  const found = await inactive()
  assert.deepEqual(found?.names, ['caddy.service'])
  assert.match(found.trouble?.state ?? '', /^reloading/)
  const waiting = inactive()
  await pause(500)
  systemd.clearFaults()
  assert.deepEqual((await waiting)?.names, [], 'one that ends meanwhile runs')
})

test('every unit of a name with a star is enabled and started, and those that run are left as they are', async (context) => {
  const { systemd, ensure, inactive } = startWorld(context)
  await ensure()
  assert.ok(systemd.isActive('php8.2-fpm.service') && systemd.isEnabled('php8.4-fpm.service'))
  assert.deepEqual(await inactive(), { names: [], disabled: [], trouble: undefined })
  const before = systemd.calls().length
  await ensure()
  assert.ok(
    systemd
      .calls()
      .slice(before)
      .every((call) => /^(?:list-unit-files|-q is-)/.test(call)),
  )
})

test('a unit that does not start is named with its state and the last lines of its journal, and so it is for Doctor', async (context) => {
  const { systemd, ensure, inactive } = startWorld(context)
  systemd.break('php8.2-fpm.service', { message: 'password=hunter2hunter2 refused by pool www' })
  const unit = 'php8.2-fpm.service'
  const journal = ['password=[REDACTED] refused by pool www']
  const state = 'failed (exit-code, status 1)'
  await assert.rejects(ensure(), {
    code: 'node_role.service_failed',
    details: { node: { id: 7, name: 'web-1' }, unit, state, journal },
  })
  const trouble = { unit, state, journal }
  assert.deepEqual(await inactive(), { names: ['php*-fpm.service'], disabled: [], trouble })
})

test('a unit that runs and does not start at boot is named for Doctor, and enabled', async (context) => {
  const { systemd, ensure, inactive } = startWorld(context)
  await ensure()
  systemd.disable('php8.4-fpm.service')
  assert.deepEqual(await inactive(), { names: [], disabled: ['php*-fpm.service'], trouble: undefined })
  await ensure()
  assert.deepEqual(await inactive(), { names: [], disabled: [], trouble: undefined })
})

test('a version that somebody masked, or stopped and disabled, stays so while another one runs', async (context) => {
  const { systemd, ensure, inactive } = startWorld(context)
  const [old, other] = ['php8.2-fpm.service', 'php8.4-fpm.service']
  const well = { names: [], disabled: [], trouble: undefined }
  await ensure()
  systemd.disable(old)
  systemd.kill(old)
  await ensure()
  assert.deepEqual([systemd.isActive(old), systemd.isEnabled(old), await inactive()], [false, false, well])
  systemd.mask(old)
  systemd.kill(other)
  assert.deepEqual((await inactive())?.names, ['php*-fpm.service'])
  await ensure()
  assert.deepEqual([systemd.isActive(old), systemd.isActive(other), await inactive()], [false, true, well])
  // One that only stopped is to run, and so is all that there is.
  systemd.mask(other)
  systemd.kill(other)
  assert.deepEqual((await inactive())?.names, ['php*-fpm.service'])
  await assert.rejects(ensure(), { code: 'node_role.service_failed' })
})
