import { testStepList } from '@fleet/steps/testing'
import { FINGERPRINT } from '@fleet/testing'
import { life, member, type Life, stranger, viewOf } from '#/node-lifecycle/life.test.ts'
import { findNode, listRoles, type NodeRecord } from '#/nodes/api.ts'
import type { AddInput, Provisioning } from './provisioning.ts'
import { enrolmentLog } from './run.ts'
import { nodeEnrolment } from './steps/list.ts'

const begin = life()

interface Given extends Provisioning {
  readonly life: Life
}

const CLUSTER = 7

/** As the handler plans it: an active Node waits for the commit point, one that is being made keeps what it learns. */
async function request(given: Life, recorded: NodeRecord): Promise<Given> {
  const { deps, call } = given
  const isActive = recorded.status === 'active'
  const input: AddInput = {
    name: recorded.name,
    public_ssh_host: '192.0.2.7',
    host_key_fingerprint: FINGERPRINT,
    cluster_id: CLUSTER,
    settings: undefined,
  }
  return {
    life: given,
    deps,
    call,
    input,
    roles: ['app-dev'],
    bootstrapUser: 'root',
    earlier: isActive ? recorded : undefined,
    earlierRoles: await listRoles(deps.store.db, recorded.id),
    isBehind: false,
    isOverTunnel: false,
    notRolledBack: [],
    followUp: [],
    node: { ...recorded, tld: 'wanted' },
  }
}

for (const kind of ['a new Node', 'an active one'] as const)
  testStepList<Given>('node-enrolment', {
    variant: kind,
    list: nodeEnrolment,
    fresh: async () => {
      const given = await begin()
      const making = { status: 'provisioning', provisioned_at: null } as const
      return request(given, await (kind === 'a new Node' ? stranger(given, making) : member(given)))
    },
    view: async ({ life: { services }, deps, node }) => {
      const row = await findNode(deps.store.db, node.id)
      const roles = (await listRoles(deps.store.db, node.id)).filter(({ status }) => status === 'active')
      // What a role brought to the machine stays with its failed assignment, so the assignments alone are compared.
      return {
        world: viewOf(services.world, node),
        row: row && { tld: row.tld, joined: row.wireguard_public_key !== null },
        status: row?.status === 'active',
        roles: roles.map(({ role }) => role),
      }
    },
    log: enrolmentLog,
    again: async ({ life: given, node }) => {
      const row = await findNode(given.deps.store.db, node.id)
      return row && request(await begin(given.services), row)
    },
  })
