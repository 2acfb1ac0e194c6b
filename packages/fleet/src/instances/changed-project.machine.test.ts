import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { systemClock } from '@fleet/kernel'
import type { Store } from '@fleet/store'
import { fakeCall, testDomains } from '@fleet/testing'
import { type InstancesFleet, startInstancesFleet } from '@fleet/testing/instances-fleet'
import { codeOf } from '#/error-details.ts'
import { cloneWorld } from '#/instances/production/clone-world.test.ts'

const REMOTE = {
  defaultBranch: async () => 'main',
  hasBranch: async () => true,
  githubToken: async () => undefined,
}

/** The store, in which somebody else has the lock of this name first, does this, and gives it back. */
function after(store: Store, name: string, work: () => Promise<unknown>): Store {
  let isDone = false
  return {
    ...store,
    locks: {
      holderOf: (asked) => store.locks.holderOf(asked),
      acquire: async (request) => {
        if (request.name === name && !isDone) {
          isDone = true
          await work()
        }
        return store.locks.acquire(request)
      },
    },
  }
}

const domainsOf = (fleet: InstancesFleet, store: Store) =>
  testDomains({ store, ssh: fleet.pool, clock: systemClock }, { git: REMOTE })

test('a creation that waited for an update of its Project is planned anew by the identical request', async () => {
  await using fleet = await startInstancesFleet()
  fleet.git.commit('app', 'main', { 'a.txt': 'of before\n' })
  fleet.git.commit('app', 'next', { 'a.txt': 'of now\n' })
  const plain = domainsOf(fleet, fleet.store)
  const waiting = after(fleet.store, `project:${fleet.project.id}`, () =>
    plain.projects.handlers['project:update']({
      call: fakeCall(),
      input: { project: fleet.project.id, slug: 'renamed', default_branch: 'next' },
    }),
  )
  const { instances } = domainsOf(fleet, waiting)
  const create = () =>
    instances.handlers['instance:create']({
      call: fakeCall(),
      input: { project_id: fleet.project.id, node_id: fleet.node.id, name: 'default' },
    })
  await assert.rejects(create, (error) => codeOf(error) === 'project.lifecycle_busy')
  const { data } = await create()
  const row = await fleet.store.db.selectFrom('instances').selectAll().executeTakeFirstOrThrow()
  assert.equal(data.status, 'active')
  assert.match(row.checkout_path, /\/renamed\/default$/)
  assert.equal(row.selected_branch, 'next')
})

test('a clone that waited for an update of its Project is made from the repository of then', async () => {
  await using fleet = await startInstancesFleet()
  const world = await cloneWorld(fleet, { git: REMOTE })
  const { candidate, production, domains } = world
  fleet.git.add('moved')
  execFileSync('git', ['-C', fleet.git.pathOf('app'), 'push', '--mirror', '-q', fleet.git.pathOf('moved')])
  fleet.git.commit('moved', 'feature', { 'src/a.txt': 'of the new repository\n' })
  const waiting = after(fleet.store, `instance:${candidate.id}:operation`, () =>
    domains.projects.handlers['project:update']({
      call: fakeCall(),
      input: { project: fleet.project.id, repository_url: fleet.git.urlOf('moved') },
    }),
  )
  const { instances } = testDomains(
    { store: waiting, clock: systemClock, ssh: fleet.pool },
    { git: REMOTE, productionHomes: domains.productionHomes },
  )
  const { data } = await instances.handlers['instance:clone']({
    call: fleet.call(),
    input: { candidate: candidate.id, node_id: production.id, name: 'live', preview_name: 'preview' },
  })
  const origin = execFileSync('git', ['-C', data.checkout_path, 'remote', 'get-url', 'origin'])
  assert.equal(origin.toString().trim(), fleet.git.urlOf('moved'))
})
