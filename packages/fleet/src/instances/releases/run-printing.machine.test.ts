import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { localPool, localSession } from '@fleet/testing'
import { prepareCheckout } from '#/instances/commands/prepare-checkout.ts'
import { runPrinting } from './releases.ts'

const born = (): string =>
  readFileSync('/proc/self/stat', 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')[19] ?? ''

test('a checkout that another script works on is busy, and one that is gone is not there: neither is the step’s own end', async (context) => {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'fleet-printing-')))
  context.after(() => rmSync(home, { recursive: true, force: true }))
  mkdirSync(join(home, 'bin'))
  // Nobody waits here for the earlier script.
  writeFileSync(join(home, 'bin/sleep'), '#!/bin/sh\n', { mode: 0o755 })
  const pool = localPool({ home, env: { PATH: `${join(home, 'bin')}:/usr/bin:/bin` } })
  const session = localSession(pool)
  const place = { checkoutPath: join(home, 'apps/app/one'), preparationId: 'p-1' }
  const step = { command: 'exit 0', limitSeconds: 5, onOutput: () => undefined }
  await assert.rejects(runPrinting(session, place, step), {
    code: 'instance.source_failed',
    details: { node: { id: session.node.id, name: session.node.name }, step: 'directory' },
  })
  await session.ask(prepareCheckout, place)
  writeFileSync(join(place.checkoutPath, '.git/orbit/worker'), `${process.pid} ${born()}\n`)
  await assert.rejects(runPrinting(session, place, step), { code: 'instance.lifecycle_busy' })
})
