import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fakeCall, nodeRecord } from '@fleet/testing'
import type { InstanceDeps } from '#/instances/deps.ts'
import { reserve } from '#/instances/reserve.ts'

const NODE = { id: 3, name: 'web' }

test('a Node whose ports are all taken is named, and nothing is recorded', async () => {
  const deps = {
    projects: {
      withLock: (_call: unknown, _id: number, work: () => Promise<unknown>) => work(),
      find: async (id: number) => ({ id }),
    },
    routes: { plan: async () => undefined },
    databases: { plan: async () => undefined },
    queries: {
      findSeed: async () => undefined,
      portsOn: async () => Array.from({ length: 65_536 }, (_, port) => port),
    },
  } as unknown as InstanceDeps // What a reservation asks before it records something.
  const reservation = {
    placement: { project: { id: 2 }, node: nodeRecord(NODE) },
    input: { project_id: 2, node_id: 3, name: 'wip' },
    effectiveRoot: '.',
  } as unknown as Parameters<typeof reserve>[2] // What is read of one until then.
  await assert.rejects(reserve(deps, fakeCall(), reservation), {
    code: 'instance.ports_exhausted',
    details: { node: NODE },
  })
})
