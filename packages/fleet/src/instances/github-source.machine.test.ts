import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { localPool, testDomains } from '@fleet/testing'
import { type FakeGitHub, startFakeGitHub } from '@fleet/testing/fake-github'
import { type InstancesFleet, refusalOf, startInstancesFleet } from '@fleet/testing/instances-fleet'
import { witnessGit } from '#/instances/witness-git.test.ts'

/** The Project of a fleet is a repository at GitHub. Answers the domains of its gateway, with another Git on the Node. */
async function atGitHub(fleet: InstancesFleet, host: FakeGitHub, path: string) {
  const repository = {
    repository_url: 'git@127.0.0.1:acme/shop.git',
    repository_identity: '127.0.0.1/acme/shop',
  }
  await fleet.store.db.updateTable('projects').set(repository).where('id', '=', fleet.project.id).execute()
  const env = { GIT_SSL_CAINFO: host.git.caFile, GIT_CONFIG_NOSYSTEM: '1', PATH: path }
  const ssh = localPool({ home: fleet.home, env })
  return testDomains({ store: fleet.store, ssh, github: host.server })
}

test('a Node gets a private repository with a token of the app for one command, and keeps nothing of it [PRX-016]', async () => {
  await using host = await startFakeGitHub(['acme/shop'])
  await using fleet = await startInstancesFleet()
  using witness = witnessGit()
  const app = await host.addApp(fleet.store)
  host.install(app, 'acme', ['shop', 'other'])
  const { instances } = await atGitHub(fleet, host, witness.path)
  const { data } = await fleet.create({}, instances)
  assert.equal(readFileSync(join(data.checkout_path, 'README.md'), 'utf8'), '# acme/shop\n')
  const made = host.calls.filter(({ route }) => route.includes('access_tokens'))
  assert.ok(made.length > 0)
  for (const { body } of made)
    assert.deepEqual(body, { repositories: ['shop'], permissions: { contents: 'read' } })
  const { args, env, mode } = witness.fetch()
  const [token = assert.fail()] = host.secrets.filter((secret) =>
    env.some((line) => line.includes(basicOf(secret))),
  )
  assert.equal(mode, '700')
  assert.ok(!args.includes(token) && !args.includes(basicOf(token)))
  assert.deepEqual(
    env.filter((line) => line.includes(basicOf(token))),
    [`GIT_CONFIG_VALUE_0=Authorization: Basic ${basicOf(token)}`],
  )
  const words = host.secrets.flatMap((secret) => [secret, basicOf(secret)])
  const { status } = spawnSync('grep', ['-rqF', ...words.flatMap((word) => ['-e', word]), fleet.home])
  assert.equal(status, 1)
})

test('a repository that the app does not cover is read without a credential, and a refused token stops before the Node is changed [PRX-018]', async () => {
  await using host = await startFakeGitHub(['acme/shop'])
  await using fleet = await startInstancesFleet()
  using witness = witnessGit()
  const app = await host.addApp(fleet.store)
  const domains = await atGitHub(fleet, host, witness.path)
  const url = host.git.urlOf('acme/shop')
  await fleet.store.db.updateTable('projects').set({ repository_url: url }).execute()
  const { code } = await refusalOf(fleet.create({}, domains.instances))
  assert.equal(code, 'instance.branch_resolution_failed')
  host.records.public.add('acme/shop')
  await fleet.create({}, domains.instances)
  assert.ok(!witness.fetch().env.some((line) => line.includes('Authorization')))
  assert.deepEqual([...new Set(host.calls.map(({ route }) => route))], ['GET /repos/acme/shop/installation'])
  host.install(app, 'acme', ['shop'], { metadata: 'read' })
  const before = fleet.residue()
  const refused = await refusalOf(fleet.create({ name: 'other' }, domains.instances))
  const reason = 'The permissions requested are not granted to this installation.'
  assert.deepEqual([refused.code, refused.details['reason']], ['github.unavailable', reason])
  assert.deepEqual(fleet.residue(), before)
})

const basicOf = (token: string): string => Buffer.from(`x-access-token:${token}`).toString('base64')
