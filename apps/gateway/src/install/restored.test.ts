import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nextOfRestored } from './restored.ts'

const backup = (public_ssh_host: string | null) => ({
  created_at: '2026-11-30T14:38:54.295Z',
  node: { name: 'hub', public_ssh_host, public_ssh_port: 22, wireguard_ip: '10.44.0.1' },
})

test('a restored gateway says of which moment its records are and that later removals are undone', () => {
  const said = nextOfRestored(backup('192.0.2.1'), ['192.0.2.1', '10.44.0.1'])
  assert.match(said, /^Its records are of 2026-11-30T14:38:54\.295Z\. Nodes removed, grants revoked/)
  assert.match(said, /^Its Nodes look for it at 192\.0\.2\.1\.$/m)
  assert.match(said, /^ {2}fleet doctor /m)
  assert.doesNotMatch(said, /retarget/)
})

test('on a machine with another address it says that no Node may find it, and how the new one is recorded', () => {
  const said = nextOfRestored(backup('192.0.2.1'), ['192.0.2.9'])
  assert.match(said, /^This machine has 192\.0\.2\.9\. Unless 192\.0\.2\.1 leads here, no Node finds it:$/m)
  assert.match(said, /^ {2}fleet-gateway retarget hub 192\.0\.2\.9 /m)
})

test('a name is not compared with addresses', () => {
  assert.doesNotMatch(nextOfRestored(backup('gateway.example'), ['192.0.2.9']), /retarget/)
})
