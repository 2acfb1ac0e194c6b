import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { dataOf } from './ask.ts'
import { type EmbeddedFleet, startEmbedded } from './harness.ts'

const ROOT = resolve(import.meta.dirname, '../..')

const git = (path: string, ...words: readonly string[]): string =>
  execFileSync('git', ['-C', path, ...words], { encoding: 'utf8' }).trim()

/** The command as a person runs it. */
const fleet = ({ home }: EmbeddedFleet, ...words: readonly string[]) =>
  spawnSync(process.execPath, [join(ROOT, 'apps/cli/src/main.ts'), ...words], {
    encoding: 'utf8',
    env: {
      PATH: process.env['PATH'],
      HOME: home,
      FLEET_HOME: home,
      FLEET_GATEWAY: 'embedded',
    },
  })

test('a Project with Instances on two Nodes changes slug, repository and branch by one command, which shows each Instance [PRJ-040, PRJ-047, PRJ-048]', async () => {
  await using embedded = await startEmbedded({ sample: true })
  const create = async (node: string, name: string) =>
    dataOf(
      await embedded.ask('POST', '/api/v1/instances', {
        body: { project_id: 1, node_id: embedded.nodeId(node), name },
      }),
    )
  const feature = await create('node-2', 'feature')
  const before = dataOf(await embedded.ask('GET', '/api/v1/projects/1'))
  cpSync(join(embedded.home, 'git/shop.git'), join(embedded.home, 'git/store.git'), { recursive: true })
  git(join(embedded.home, 'git/store.git'), 'branch', 'trunk', 'main')
  const url = String(before['repository_url']).replace('shop.git', 'store.git')
  const paths = [
    join(embedded.home, 'nodes/node-1/apps/shop/default'),
    String(feature['checkout_path']),
  ] as const
  const environment = readFileSync(join(paths[0], '.env'), 'utf8')
  const given = ['--slug', 'store', '--repository-url', url, '--default-branch', 'trunk'] as const
  const ran = fleet(embedded, 'project:update', '1', ...given)
  assert.equal(ran.status, 0, ran.stderr)
  for (const step of [
    'preflight: default',
    'preflight: feature',
    'origins: feature',
    'branch: default',
    'publish',
    'confirm',
  ])
    assert.match(ran.stderr, new RegExp(`^${step}: done`, 'm'))
  const after = dataOf(await embedded.ask('GET', '/api/v1/projects/1'))
  assert.deepEqual(
    [after['slug'], after['repository_url'], after['default_branch'], after['code']],
    ['store', url, 'trunk', before['code']],
  )
  assert.deepEqual(
    paths.map((path) => [git(path, 'remote', 'get-url', 'origin'), git(path, 'branch', '--show-current')]),
    [
      [url, 'trunk'],
      [url, 'feature'],
    ],
  )
  assert.equal(readFileSync(join(paths[0], '.env'), 'utf8'), environment)
  const again = fleet(embedded, 'project:update', '1', ...given)
  assert.equal(again.status, 0, again.stderr)
  // What comes later is placed under the new slug; what is there stays.
  const later = await create('node-1', 'later')
  assert.match(String(later['checkout_path']), /\/apps\/store\/later$/)
  const refused = fleet(embedded, 'project:update', '1', '--default-branch', 'nowhere')
  assert.notEqual(refused.status, 0)
  assert.match(refused.stderr, /project\.default_branch_unavailable/)
})

test('a deployment at a terminal shows its phases, and one that is refused ends with a status of its own', async () => {
  await using embedded = await startEmbedded({ sample: true })
  const body = { project_id: 1, node_id: embedded.nodeId('node-1'), name: 'next' }
  const next = dataOf(await embedded.ask('POST', '/api/v1/instances', { body }))
  const deployed = fleet(embedded, 'instance:deploy', '1')
  assert.equal(deployed.status, 0, deployed.stderr)
  assert.match(deployed.stdout, /^ {3}0\.0 s {2}source preparation\n[^]*^Succeeded {2}\d+\.\d s$/m)
  assert.match(
    fleet(embedded, 'deployment:show', '1').stdout,
    /^Deployment 1 {2}succeeded[^]*^ {3}0\.0 s {2}source preparation$/m,
  )
  // Only `default` and production are deployed.
  const failed = fleet(embedded, 'instance:deploy', String(next['id']))
  assert.match(failed.stdout, /^Refused[^]*\(deployment_config\.unavailable\)$/m)
  assert.equal(failed.status, 1, failed.stderr)
  const lines = fleet(embedded, '--json', 'instance:deploy', String(next['id']))
  assert.equal(lines.status, 1)
  assert.equal(JSON.parse(lines.stdout.trim()).error_code, 'deployment_config.unavailable')
})
