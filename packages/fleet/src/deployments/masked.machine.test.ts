import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fakeCall, testDomains } from '@fleet/testing'
import { startWorld } from '#/deployments/world.test.ts'

test('a step that prints the `.env` which Fleet wrote shows no stored value, however it is quoted there [ENV-002, LOGS-024]', async () => {
  await using world = await startWorld()
  const { environment } = testDomains({ store: world.store, ssh: world.fleet.pool })
  const values = {
    MAILER_DSN: 'smtp://it\'s-a$ecret`Pass"word@mail.example.com',
    PLAIN: 'nothing to quote',
    SHORT: "it's $1",
    SINGLE: 'a $ in "quotes"',
  }
  for (const [key, value] of Object.entries(values))
    await environment.handlers['env:update']({
      call: world.fleet.call(),
      input: { instance: world.instance.id, key, value },
    })
  await world.steps({ name: 'show', command: 'cat .env' })
  const ran = await world.deploy()
  const shown = `MAILER_DSN="[REDACTED]"\nPLAIN="[REDACTED]"\nSHORT="it's \\$1"\nSINGLE='[REDACTED]'\n`
  assert.deepEqual([ran.failure, ran.printed], [undefined, shown])
  const { id } = await world.row()
  const { data } = await world.domain.handlers['deployment:show']({
    call: fakeCall(),
    input: { deployment: id },
  })
  const stored = data.events.flatMap((event) => (event.type === 'output' ? [event.data_base64] : []))
  assert.equal(stored.map((piece) => Buffer.from(piece, 'base64').toString()).join(''), shown)
})

test('a step that uses a variable which is not set says so, also where the name is that of a secret', async () => {
  await using world = await startWorld()
  await world.steps({ name: 'show', command: 'echo key=$STRIPE_KEY' })
  const ran = await world.deploy()
  assert.equal(ran.failure, 'deployment.step_failed')
  assert.match(ran.printed, /\bSTRIPE_KEY: unbound variable\n/)
})
