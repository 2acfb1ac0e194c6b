import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { localPool, localSession } from '@fleet/testing'
import { makeProductionHomes } from './homes.ts'

test('an account is free where neither its user nor its home is there [INS-108]', async (t) => {
  const root = mkdtempSync(join(tmpdir(), 'fleet-homes-'))
  t.after(() => rmSync(root, { recursive: true, force: true }))
  symlinkSync('nowhere', join(root, 'dangling'))
  const session = localSession(localPool({ home: root }))
  const homes = makeProductionHomes()
  const free = { user: 'fleet-nobody-has-this', home: join(root, 'none') }
  await homes.requireFree(session, free)
  for (const taken of [{ user: userInfo().username }, { home: root }, { home: join(root, 'dangling') }]) {
    const account = { ...free, ...taken }
    await assert.rejects(homes.requireFree(session, account), {
      code: 'instance.production_placement_conflict',
      details: { node: { id: 7, name: 'web-1' }, reason: 'taken', ...account },
    })
  }
})
