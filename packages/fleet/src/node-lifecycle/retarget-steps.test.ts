import { testStepList } from '@fleet/steps/testing'
import { FINGERPRINT } from '@fleet/testing'
import { life, member, type Life, viewOf } from './life.test.ts'
import { nodeRetarget, type Retarget, retargetLog } from './retarget.ts'

const begin = life()

interface Given extends Retarget {
  readonly life: Life
}

const request = ({ deps, call, services }: Life, node: Retarget['node']): Given => ({
  life: { deps, call, services },
  deps,
  call,
  node: { ...node, public_ssh_host: '192.0.2.9' },
  fingerprint: FINGERPRINT,
})

testStepList<Given>('node-retarget', {
  list: nodeRetarget,
  fresh: async () => {
    const given = await begin()
    return request(given, await member(given))
  },
  view: ({ life: { services }, node }) => viewOf(services.world, node),
  log: retargetLog,
  again: async ({ life: given, node }) => request(await begin(given.services), node),
})
