import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nodeRecord } from '@fleet/testing'
import { repairRefusal } from '#/network/repair-dns.ts'

const repairable = nodeRecord({ wireguard_public_key: 'k' })

test('only an active managed Linux peer with its whole identity has a resolver to repair [NODE-133]', () => {
  assert.equal(repairRefusal(repairable, 1), undefined)
  const refused = [
    ['node.dns_repair_platform_unsupported', { platform: 'macos' }],
    ['node.dns_repair_inactive', { status: 'failed' }],
    ['node.dns_repair_operator_owned', { activeRoles: [] }],
    ['node.dns_repair_identity_missing', { wireguard_ip: null }],
    ['node.dns_repair_identity_missing', { wireguard_public_key: null }],
    ['node.dns_repair_identity_missing', { ssh_host_fingerprint: null }],
  ] as const
  for (const [code, given] of refused) assert.equal(repairRefusal({ ...repairable, ...given }, 1), code)
  assert.equal(repairRefusal(repairable, repairable.id), 'node.dns_repair_vpn_server')
})
