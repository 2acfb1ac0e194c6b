import type { DoctorFamily } from '@fleet/contract'
import type { SshFailure, SshPool } from '@fleet/ssh'
import {
  addGatewayNode,
  addGrant,
  addNode,
  asCaller,
  fakeCall,
  startNodesFleet,
  testDomains,
} from '@fleet/testing'
import type { Check, FamilyChecks, NodeRecord } from '#/nodes/api.ts'

/** A fleet whose Nodes are this machine, and checks that a test hands in; those of the gateway without. */
export async function doctorWorld(families?: readonly FamilyChecks[]) {
  const fleet = await startNodesFleet()
  const gateway = await addGatewayNode(fleet.store, { user: 'root' })
  const dead = new Map<string, SshFailure>()
  const { pool } = fleet
  const probes: string[] = []
  const probe: SshPool['probe'] = async ({ host }) => {
    probes.push(host)
    const failure = dead.get(host)
    if (failure) throw failure
  }
  const { handlers } = testDomains(
    { store: fleet.store, ssh: { ...pool, probe } },
    families ? { families } : {},
  ).doctor
  const call = fakeCall({ caller: asCaller(gateway, true) })
  return {
    fleet,
    gateway,
    dead,
    pool,
    probes,
    call,
    /** A Node that the gateway Node may act on. */
    node: async (name: string) => {
      const node = await addNode(fleet.store, { name, platform: 'linux', user: 'root' })
      await addGrant(fleet.store, gateway, node)
      return node
    },
    report: async (input: { node_id?: number; families?: DoctorFamily[] } = {}) =>
      (await handlers['doctor:run']({ call, input })).data,
    [Symbol.asyncDispose]: () => fleet[Symbol.asyncDispose](),
  }
}

export const part = (
  family: DoctorFamily,
  checksOf: (node: NodeRecord) => readonly Check[],
): FamilyChecks => ({
  family,
  checksOf: (_call, node) => Promise.resolve(checksOf(node)),
})
