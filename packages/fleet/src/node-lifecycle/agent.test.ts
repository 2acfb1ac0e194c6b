import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { NodeSession } from '#/nodes/api.ts'
import { trustingAgent } from '#/node-lifecycle/agent.ts'

test('an agent is as it was where neither it nor the root that it trusts was installed, and the root comes first', async () => {
  const session = {} as NodeSession // Both only pass it on.
  const done: string[] = []
  const converge = (trusted: 'installed' | 'unchanged', own: 'applied' | 'unchanged') =>
    trustingAgent({
      trust: {
        install: async () => (done.push('root'), trusted),
        remove: async () => void done.push('root removed'),
      },
      agent: {
        converge: async (_session, { force }) => (done.push(`agent ${force}`), own),
        digest: async () => 'digest',
        remove: async () => void done.push('agent removed'),
      },
    })
  const outcome = (...given: Parameters<typeof converge>) =>
    converge(...given).converge(session, { force: true })
  assert.deepEqual(
    [
      await outcome('unchanged', 'unchanged'),
      await outcome('unchanged', 'applied'),
      await outcome('installed', 'unchanged'),
      await outcome('installed', 'applied'),
    ],
    ['unchanged', 'applied', 'applied', 'applied'],
  )
  assert.deepEqual(done.slice(0, 2), ['root', 'agent true'])
  done.length = 0
  await converge('unchanged', 'unchanged').remove(session)
  assert.deepEqual(done, ['agent removed', 'root removed'])
})
