import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { InstanceData, OperationName } from '@fleet/contract'
import { git } from '@fleet/testing/git-server'
import { nothing, refused, type Scenario, publishes, unique } from './scenes.ts'

/** How Instances come to be. */
export const REPORTED_INSTANCES: Readonly<Partial<Record<OperationName, Scenario>>> = {
  'instance:create': async (world) => {
    const place = { project_id: await world.project(), node_id: world.fleet.nodes.granted }
    const body = { ...place, name: unique('i') }
    const create = ['POST', '/instances', { body }] as const
    world.git.down = true
    await refused(world, create, 'instance.branch_resolution_failed')
    world.git.down = false
    const { data } = await publishes(world, create, async (done) => [
      ['instance.created', await world.read(`/instances/${done.data.id}`)],
    ])
    assert.ok(data.id > 0)
    await publishes(world, create, nothing)
    const copy = [
      'POST',
      '/instances',
      { body: { ...body, name: unique('i'), source_instance_id: data.id } },
    ] as const
    await publishes(world, copy, async (done) => [
      ['instance.created', await world.read(`/instances/${done.data.id}`)],
    ])
    const other = { ...body, name: unique('i'), source_instance_id: 999_999 }
    await refused(world, ['POST', '/instances', { body: other }], 'instance.copy_source_missing')
  },
  'instance:register': async (world) => {
    const { repository_url: origin } = await world.read(`/projects/${await world.project()}`)
    const source_path = join(world.home, 'sources', unique('i'))
    mkdirSync(source_path, { recursive: true })
    for (const words of [
      ['init', '-q', '-b', 'main'],
      ['remote', 'add', 'origin', origin],
      ['commit', '-q', '--allow-empty', '-m', 'one'],
    ])
      git(source_path, words)
    const register = (path: string) =>
      ['POST', '/instances/register', { from: 'granted', body: { source_path: path } }] as const
    await refused(world, register(join(world.home, 'none')), 'instance.source_path_mismatch')
    await publishes(world, register(source_path), ({ data }) => [['instance.created', data.app_instance]])
    await publishes(world, register(source_path), nothing)
    const { checkout_path: main } = (await world.perform(...register(source_path))).data.app_instance
    git(main, ['worktree', 'add', '-q', '--detach', join(world.home, 'sources', unique('w'))])
    const body = { source_path, include_worktrees: true }
    const adoptAll = ['POST', '/instances/register', { from: 'granted', body }] as const
    const { data } = await publishes(world, adoptAll, (done) => [
      ['instance.created', done.data.instances[1]],
    ])
    await publishes(
      world,
      ['DELETE', `/instances/${data.app_instance.id}?force=true`],
      data.instances.toReversed().map(({ id, name }: InstanceData) => ['instance.deleted', { id, name }]),
    )
  },
}
