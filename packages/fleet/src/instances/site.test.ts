import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fakeCall } from '@fleet/testing'
import { run } from '@fleet/shell'
import type { NodeRecord } from '#/nodes/api.ts'
import type { ProjectRecord } from '#/projects/api.ts'
import { makeSite } from './site.ts'

const result = { exitCode: 0, signal: null, stdout: Buffer.from(''), stderr: Buffer.from('') }

function makeCounted() {
  const counted = { commands: 0 }
  const shell = {
    run: async () => {
      counted.commands += 1
      return result
    },
  }
  const node = { id: 7, name: 'web-1' } as NodeRecord // The site reads no other member.
  const project = {} as ProjectRecord // The site reads none of its members.
  return { counted, shell, place: { call: fakeCall(), node, project } }
}

test('once a lock is lost no further command begins, whichever of the two it was [GW-045]', async () => {
  for (const lost of ['first', 'second'] as const) {
    const { counted, shell, place } = makeCounted()
    const locks = { first: { held: true }, second: { held: true } }
    const site = makeSite(shell, locks.first, place).guardedBy(locks.second).reserving(10)
    await site.run(run('true'))
    locks[lost].held = false
    await assert.rejects(site.run(run('true')), {
      code: 'node.lock_lost',
      details: { node: { id: 7, name: 'web-1' } },
    })
    await assert.rejects(site.run(run('true')), { code: 'node.lock_lost' })
    assert.equal(counted.commands, 1)
  }
})
