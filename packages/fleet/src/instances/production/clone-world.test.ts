import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fail } from '@fleet/contract'
import { systemClock } from '@fleet/kernel'
import { addNode, addRole, type Domains, testDomains } from '@fleet/testing'
import type { InstancesFleet } from '@fleet/testing/instances-fleet'
import type { ProductionHomes } from './homes.ts'

export const KEY = 'MAIL_PASSWORD'

/** A candidate with stored values, and a Node for production whose users are all the user of this test. */
export async function cloneWorld(fleet: InstancesFleet, fakes: Partial<Domains> = {}) {
  fleet.git.commit('app', 'feature', { 'src/a.txt': 'a\n' })
  const { data: candidate } = await fleet.create()
  const production = await addNode(fleet.store, { user_home: fleet.home })
  await addRole(fleet.store, { node_id: production.id, role: 'app-prod' })
  const made: string[] = []
  let broken: Error | undefined
  let isTaken = false
  const homes: ProductionHomes = {
    accountFor: (node, slug, name) => ({
      user: node.user,
      home: join(fleet.home, 'homes', `${slug}-${name}`),
    }),
    requireFree: async () => {
      if (isTaken) throw fail('instance.production_placement_conflict')
    },
    ensure: async (_session, { home }) => {
      made.push(home)
      mkdirSync(home, { recursive: true })
      if (broken) throw broken
    },
  }
  const domains = testDomains(
    { store: fleet.store, clock: systemClock, ssh: fleet.pool },
    { productionHomes: homes, ...fakes },
  )
  const { handlers } = domains.instances
  await domains.environment.replace(fleet.call(), candidate, async () => ({
    set: new Map([
      [KEY, 'a-canary'],
      ['APP_ENV', 'local'],
    ]),
    removed: [],
  }))
  return {
    candidate,
    production,
    made,
    domains,
    breakHomes: (error: Error | undefined) => (broken = error),
    takeHomes: (taken: boolean) => (isTaken = taken),
    clone: (given: object = {}) =>
      handlers['instance:clone']({
        call: fleet.call(),
        input: {
          candidate: candidate.id,
          node_id: production.id,
          name: 'live',
          preview_name: 'preview',
          ...given,
        },
      }),
    destroy: (instance: number, force = false) =>
      handlers['instance:destroy']({ call: fleet.call(), input: { instance, force } }),
  }
}
