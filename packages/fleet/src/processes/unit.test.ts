import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nodeRecord } from '@fleet/testing'
import type { InstanceRecord } from '#/instances/api.ts'
import { unitWord, withOwnEnvironment } from '#/managed-services/api.ts'
import type { ReadyProcess } from '#/processes/connections/values.ts'
import { renderUnit } from '#/processes/unit.ts'

const node = nodeRecord()

const process = (given: Partial<ReadyProcess> = {}): ReadyProcess => ({
  id: 12,
  name: 'queue',
  runtime: 'systemd',
  runtime_config: { command: ['/usr/bin/php', 'artisan'], preset: null },
  working_directory: null,
  account: null,
  restart_policy: 'never',
  keep_alive: 0,
  desired_state: 'running',
  status: 'active',
  failed_step: null,
  error_code: null,
  observed_status: null,
  observed_at: null,
  created_at: '2026-01-01T00:00:00.000Z',
  variables: null,
  definition_id: null,
  connection_values: null,
  values: { set: [], unset: [] },
  owner: { type: 'node', id: node.id, node, instance: undefined },
  node,
  environment: 'development',
  instanceId: undefined,
  ...given,
})

const instance = (given: Partial<InstanceRecord> = {}): InstanceRecord =>
  ({
    id: 3,
    checkout_path: '/home/fleet/apps/shop/100%',
    production_user: null,
    production_home: null,
    profile: { applicationDirectory: 'api', framework: 'laravel', php: true },
    vite_port: 5200,
    environment: 'development',
    node,
    ...given,
  }) as InstanceRecord // What units are made of.

const ofInstance = (given: Partial<InstanceRecord> = {}): ReadyProcess => {
  const owned = instance(given)
  return process({
    owner: { type: 'instance', id: 3, node, instance: owned },
    environment: owned.environment === 'production' ? 'production' : 'development',
    instanceId: 3,
  })
}

const line = (text: string, name: string): readonly string[] =>
  text
    .split('\n')
    .filter((one) => one.startsWith(`${name}=`))
    .map((one) => one.slice(name.length + 1))

test('the unit of a Process is rendered from its record alone, with the marker of its id', () => {
  assert.equal(
    renderUnit(process(), undefined),
    `# Written by Fleet. Changes made here are replaced.
# fleet.process.id=12
[Unit]
Description=Fleet Process queue
After=network-online.target
StartLimitIntervalSec=0

[Service]
Type=exec
User=fleet
WorkingDirectory=/home/fleet
Environment="PATH=/home/fleet/.local/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
Environment="NODE_USE_SYSTEM_CA=1"
ExecStart=:"/usr/bin/php" "artisan"
Restart=no
RestartSec=2
TimeoutStopSec=30
CPUAccounting=yes
MemoryAccounting=yes

[Install]
WantedBy=multi-user.target
`,
  )
})

test('a Process of an Instance works in its application directory and gets its .env and the variables of its development server [PROC-033, PROC-034]', () => {
  const text = renderUnit(ofInstance(), 'shop.web.test')
  assert.deepEqual(line(text, 'WorkingDirectory'), ['/home/fleet/apps/shop/100%%/api'])
  assert.deepEqual(line(text, 'EnvironmentFile'), ['-/home/fleet/apps/shop/100%%/api/.env'])
  assert.deepEqual(line(text, 'Environment').slice(2), [
    '"FLEET_DEV_SERVER_PORT=5200"',
    '"FLEET_DEV_SERVER_HOST=shop.web.test"',
    '"FLEET_DEV_SERVER_PATH=/__fleet/vite"',
    '"FLEET_DEV_SERVER_ORIGIN=https://shop.web.test/__fleet/vite"',
  ])
  assert.equal(line(renderUnit(ofInstance(), undefined), 'Environment').length, 3)
})

const production = {
  environment: 'production',
  production_user: 'shop',
  production_home: '/srv/shop',
  vite_port: null,
} as const

test('a production Instance runs as its own user in its current release, and that user reads its .env, which systemd would as root', () => {
  const text = renderUnit(ofInstance(production), 'shop.example')
  assert.deepEqual(
    [
      line(text, 'User'),
      line(text, 'WorkingDirectory'),
      line(text, 'EnvironmentFile'),
      line(text, 'Environment').length,
    ],
    [['shop'], ['/srv/shop/current/api'], [], 2],
  )
  const words = withOwnEnvironment('/srv/shop/.env', [], ['/usr/bin/php', 'artisan'])
  assert.deepEqual(line(text, 'ExecStart'), [`:${words.map(unitWord).join(' ')}`])
})

test('what a production Process has of its connections, and what they leave out, its .env does not set', () => {
  const values = { set: ['DB_HOST=db', 'DB_PASSWORD=a=b'], unset: ['DB_URL'] }
  const runtime_config = {
    command: ['/usr/bin/php'],
    preset: null,
    connections: [{ slug: 'shop', prefix: 'DB' }],
  }
  const text = renderUnit({ ...ofInstance(production), values, runtime_config }, undefined)
  assert.deepEqual(line(text, 'EnvironmentFile'), ['/etc/fleet/processes/12.env'])
  const words = withOwnEnvironment('/srv/shop/.env', ['DB_HOST', 'DB_PASSWORD', 'DB_URL'], ['/usr/bin/php'])
  assert.deepEqual(line(text, 'ExecStart'), [`:${words.map(unitWord).join(' ')}`])
})

test('no word of a command is read otherwise by systemd', () => {
  const words = ['/bin/echo', '$HOME', '${A}', '50%', 'a "b" \\n', 'two\nlines', ';', '', '-x', 'ü\u0085']
  const text = renderUnit(process({ runtime_config: { command: words, preset: null } }), undefined)
  assert.deepEqual(line(text, 'ExecStart'), [
    ':"/bin/echo" "$HOME" "${A}" "50%%" "a \\"b\\" \\\\n" "two\\x0alines" ";" "" "-x" "ü\\xc2\\x85"',
  ])
})

test('every restart policy is one of systemd', () => {
  const policies = ['never', 'on-failure', 'always', 'unless-stopped'] as const
  assert.deepEqual(
    policies.flatMap((restart_policy) => line(renderUnit(process({ restart_policy }), undefined), 'Restart')),
    ['no', 'on-failure', 'always', 'always'],
  )
})

test('the preset of a development server listens on the port of the Instance', () => {
  const preset: ReadyProcess = { ...ofInstance(), runtime_config: { command: [], preset: 'vp-dev' } }
  assert.deepEqual(line(renderUnit(preset, undefined), 'ExecStart'), [
    ':"/usr/bin/env" "vp" "dev" "--host" "127.0.0.1" "--port" "5200" "--strictPort"',
  ])
})
