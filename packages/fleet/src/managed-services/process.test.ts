import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Secret } from '@fleet/kernel'
import type { FileContent } from '#/managed-services/declaration.ts'
import { EXECUTABLE_FILE } from '#/managed-services/executable/scripts.ts'
import { HARDENED } from '#/managed-services/hardening.ts'
import { type FleetProcess, processPlaces, processService } from '#/managed-services/process.ts'

const PROCESS: FleetProcess = {
  name: 'agent',
  description: 'Agent of Fleet',
  account: 'fleet-agent',
  runtimeMode: '0755',
  settings: 'MemoryMax=64M\n',
}

const FILE = '/etc/fleet/agent.json'

function service(process: FleetProcess = PROCESS, content: FileContent = '{}') {
  const failure = () => ({ code: 'node_role.service_failed' }) as const
  return processService(process, { ...processPlaces(process), failure }, { [FILE]: content })
}

test('a process of Fleet is enabled, restarted by a change, ready by its own report, and leaves nothing when it is removed', () => {
  assert.deepEqual(processPlaces(PROCESS), {
    name: 'agent',
    units: [{ name: 'fleet-agent.service', file: 'own', isEnabled: true, onChange: 'restart' }],
    usesExecutable: true,
    ready: { kind: 'reported', unit: 'fleet-agent.service', file: '/run/fleet-agent/ready', seconds: 15 },
    removal: { paths: ['/run/fleet-agent'] },
  })
})

test('its unit runs the executable of Fleet with its digest, hardened, as its account or as root', () => {
  const { units, files, digest } = service().renderFor('program')
  assert.deepEqual(files, { [FILE]: '{}' })
  assert.match(digest, /^[0-9a-f]{64}$/)
  const text = (user: string, of: string) => `# Written by Fleet. Changes made here are replaced.
[Unit]
Description=Agent of Fleet
Wants=network-online.target
After=network-online.target wg-quick@fleet.service
# What it needs may come later: the address of the tunnel, a certificate, a secret.
StartLimitIntervalSec=0

[Service]
Type=exec
${user}ExecStart=${EXECUTABLE_FILE} node-agent --configuration=${of}
Restart=always
TimeoutStopSec=10
RuntimeDirectory=fleet-agent
RuntimeDirectoryMode=0755
UMask=0077
MemoryMax=64M
${HARDENED}
[Install]
WantedBy=multi-user.target
`
  assert.deepEqual(units, { 'fleet-agent.service': text('User=fleet-agent\n', digest) })
  const { account: _account, ...ofRoot } = PROCESS
  const root = service(ofRoot).renderFor('program')
  assert.deepEqual(root.units, { 'fleet-agent.service': text('', root.digest) })
})

test('another program, unit or content is another digest; a secret that is made on the way is none', () => {
  const digestOf = (given: Parameters<typeof service>, program = 'program') =>
    service(...given).renderFor(program).digest
  const made = (key: string): FileContent => ({ knownSha256: key, create: () => new Secret(key) })
  const digests = [
    digestOf([]),
    digestOf([], 'another'),
    digestOf([{ ...PROCESS, settings: '' }]),
    digestOf([PROCESS, '{"a":1}']),
    digestOf([PROCESS, made('a')]),
  ]
  assert.equal(new Set(digests).size, digests.length)
  assert.equal(digestOf([]), digests[0])
  assert.equal(digestOf([PROCESS, new Secret('{}')]), digests[0])
  assert.equal(digestOf([PROCESS, made('b')]), digests[4])
})
