import assert from 'node:assert/strict'
import {
  addGatewayNode,
  addGrant,
  addNode,
  addRole,
  asCaller,
  fakeCall,
  forEachDialect,
  startNodesFleet,
} from '@fleet/testing'

forEachDialect(
  'a list holds the own Node and the granted ones, by name [GW-009, NODE-025]',
  async (dialect) => {
    await using fleet = await startNodesFleet(dialect)
    const own = await addNode(fleet.store, { name: 'b' })
    const granted = await addNode(fleet.store, { name: 'Z' })
    await addNode(fleet.store, { name: 'a' })
    await addGrant(fleet.store, own, granted)
    const { data } = await fleet.nodes.handlers['node:list']({
      call: fakeCall({ caller: asCaller(own) }),
      input: {},
    })
    assert.deepEqual(
      data.map(({ name }) => name),
      ['Z', 'b'],
    )
  },
)

forEachDialect(
  'a grant shows the serving Node to the consumer, not the other way round [GRANT-001]',
  async (dialect) => {
    await using fleet = await startNodesFleet(dialect)
    const gateway = await addGatewayNode(fleet.store)
    const node = await addNode(fleet.store)
    await addGrant(fleet.store, gateway, node)
    const { data } = await fleet.nodes.handlers['node:list']({
      call: fakeCall({ caller: asCaller(node) }),
      input: {},
    })
    assert.deepEqual(
      data.map(({ id }) => id),
      [node.id],
    )
  },
)

forEachDialect(
  'a record names its active roles and nothing that is secret [NODE-014, NODE-015, NODE-019]',
  async (dialect) => {
    await using fleet = await startNodesFleet(dialect)
    const node = await addNode(fleet.store, {
      name: 'web-1',
      wireguard_ip: '10.0.0.1',
      roles: ['ingress', 'app-dev'],
      apps_path: '/data',
    })
    await addRole(fleet.store, { node_id: node.id, role: 'metrics', status: 'failed' })
    const { data } = await fleet.nodes.handlers['node:list']({
      call: fakeCall({ caller: asCaller(node) }),
      input: {},
    })
    assert.deepEqual(data, [
      {
        id: node.id,
        cluster_id: null,
        name: 'web-1',
        status: 'active',
        platform: null,
        architecture: null,
        tld: null,
        public_ssh_host: null,
        public_ssh_port: null,
        user: 'fleet',
        wireguard_ip: '10.0.0.1',
        wireguard_public_key: null,
        wireguard_endpoint_override: null,
        dns_server_override: null,
        lan_ip: null,
        ssh_host_fingerprint: node.ssh_host_fingerprint,
        failed_step: null,
        error_code: null,
        roles: ['app-dev', 'ingress'],
        settings: { apps: { path: '/data' } },
        updating: null,
      },
    ])
  },
)
