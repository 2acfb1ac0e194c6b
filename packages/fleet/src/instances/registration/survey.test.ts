import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nodeRecord } from '@fleet/testing'
import type { InstanceRow } from '#/instances/queries.ts'
import { projectOf, requireMain } from '#/instances/registration/survey.ts'
import { type ProjectRecord, repositoryIdentity } from '#/projects/api.ts'

const NODE = nodeRecord({ id: 3, name: 'web' })
const PROJECT = {
  id: 2,
  repository_identity: repositoryIdentity('https://github.test/acme/shop.git'),
} as unknown as ProjectRecord // What is read of it.
const STORED = { id: 9, status: 'active', node_id: 3, project_id: 2, checkout_path: '/srv/shop' }

test('the repository of a linked worktree is that of an active Instance of its Project, on its Node, at its path', async () => {
  const find = (change: object | undefined, preparation = 'prep') =>
    requireMain(
      {
        registrations: {
          findByPreparation: async () =>
            change === undefined ? undefined : ({ ...STORED, ...change } as unknown as InstanceRow), // What is read of one.
        } as unknown as Parameters<typeof requireMain>[0]['registrations'], // The only one that is asked.
      },
      { node: NODE, project: PROJECT },
      { path: '/srv/shop', preparation },
    )
  assert.equal((await find({})).id, 9)
  await assert.rejects(find({ project_id: 4 }), { code: 'instance.source_origin_mismatch', status: 409 })
  const refused = {
    code: 'instance.source_layout_mismatch',
    message: /Register that one with `include_worktrees`/,
    details: { node: { id: 3, name: 'web' }, checkout_path: '/srv/shop' },
  }
  for (const change of [undefined, { status: 'removing' }, { node_id: 4 }, { checkout_path: '/srv/other' }])
    await assert.rejects(find(change), refused, JSON.stringify(change))
  await assert.rejects(find({}, ''), refused)
})

test('the Project of a checkout is the named one, if it has its origin, or the one with the repository of its origin', async () => {
  const projects = {
    find: async (id: number) => (id === 2 ? PROJECT : undefined),
    findByIdentity: async (identity: string) => (/acme.shop|^$/.test(identity) ? PROJECT : undefined),
  } as unknown as Parameters<typeof projectOf>[0]['projects'] // The only ones that are asked.
  const of = (origin: string, given?: number) =>
    projectOf({ projects }, { origin } as unknown as Parameters<typeof projectOf>[1], given) // What is read of it.
  assert.equal(await of('git@github.test:acme/shop.git'), PROJECT)
  assert.equal(await of('https://github.test/acme/shop', 2), PROJECT)
  for (const origin of ['', 'https://github.test/acme/other'])
    await assert.rejects(of(origin), { code: 'instance.project_missing' }, origin)
  await assert.rejects(of('https://github.test/acme/shop', 4), { code: 'project.not_found' })
  await assert.rejects(of('https://github.test/acme/other', 2), { code: 'instance.source_origin_mismatch' })
})
