import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import type { InputOf } from '@fleet/contract'
import { CodedError, Secret, systemClock } from '@fleet/kernel'
import { addProject, fakeCall, openTestStore, sshdMissing, testDomains } from '@fleet/testing'
import { type SshGitServer, startSshGitServer } from '@fleet/testing/ssh-git-server'

const skip = sshdMissing

interface World extends AsyncDisposable {
  readonly server: SshGitServer
  readonly domains: ReturnType<typeof testDomains>
  readonly store: Awaited<ReturnType<typeof openTestStore>>
  create(given?: Partial<InputOf<'project:create'>>): Promise<{ readonly id: number }>
  key(project: number, given?: Partial<InputOf<'project:deploy-key:create'>>): ReturnType<World['make']>
  make: ReturnType<typeof testDomains>['projects']['handlers']['project:deploy-key:create'] extends (
    ...given: never[]
  ) => infer R
    ? () => R
    : never
}

async function world(context: TestContext): Promise<World> {
  const home = mkdtempSync(join(tmpdir(), 'fleet-keys-'))
  context.after(() => rmSync(home, { recursive: true, force: true }))
  const server = await startSshGitServer(['app'])
  const store = await openTestStore()
  const domains = testDomains({ store, gitEnvironment: { HOME: home, TMPDIR: home } })
  const { handlers } = domains.projects
  const key: World['key'] = (project, given = {}) =>
    handlers['project:deploy-key:create']({ call: fakeCall(), input: { project, ...given } })
  return {
    server,
    store,
    domains,
    key,
    make: () => key(1),
    create: async (given) => {
      const input = { slug: 'app', type: 'node-package', root: '.', ...given } as const
      const { data } = await handlers['project:create']({
        call: fakeCall(),
        input: { repository_url: server.urlOf('app'), ...input },
      })
      return data
    },
    [Symbol.asyncDispose]: async () => {
      await store[Symbol.asyncDispose]()
      await server[Symbol.asyncDispose]()
      assert.deepEqual(readdirSync(home), [], 'a login left something behind')
    },
  }
}

const refusalOf = async (work: Promise<unknown>): Promise<CodedError> => {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  assert.ok(error instanceof CodedError, String(error))
  return error
}

test(
  'a Project of a private repository is created once the Git host accepts the key that its first request made',
  { skip },
  async (context) => {
    await using fleet = await world(context)
    const refused = await refusalOf(fleet.create({ deploy_key: true }))
    assert.equal(refused.code, 'project.deploy_key_pending')
    const publicKey = String(refused.details?.['public_key'])
    assert.match(publicKey, /^ssh-ed25519 [A-Za-z0-9+/]+ fleet-app$/)
    const again = await refusalOf(fleet.create({ deploy_key: true }))
    assert.equal(again.details?.['public_key'], publicKey)
    fleet.server.accept(publicKey)
    const { id } = await fleet.create({ deploy_key: true })
    const { data, created } = await fleet.key(id)
    assert.deepEqual([data.status, data.public_key, data.next, created], ['active', publicKey, null, false])
    assert.deepEqual(
      data.host.keys.map(({ fingerprint, trust }) => [fingerprint, trust]),
      [[fleet.server.fingerprint, 'first_use']],
    )
  },
)

test(
  'a key is used from when the Git host accepts it, and the next one takes its place in the same way [GW-021]',
  { skip },
  async (context) => {
    await using fleet = await world(context)
    const refused = await refusalOf(fleet.create({ deploy_key: true }))
    fleet.server.accept(String(refused.details?.['public_key']))
    const { id } = await fleet.create({ deploy_key: true })
    const first = (await fleet.key(id)).data
    const rotating = await fleet.key(id, { rotate: true })
    assert.equal(rotating.created, true)
    assert.deepEqual([rotating.data.status, rotating.data.fingerprint], ['active', first.fingerprint])
    const next = rotating.data.next
    assert.ok(next && next.fingerprint !== first.fingerprint)
    assert.deepEqual(await fleet.key(id, { rotate: true }), { ...rotating, created: false })
    const login = async () =>
      fleet.domains.projects.projects.login(fakeCall(), {
        id,
        repository_url: fleet.server.urlOf('app'),
        source_access: 'github_app',
      })
    assert.equal((await login()).key?.fingerprint, first.fingerprint)
    fleet.server.accept(next.public_key)
    const rotated = (await fleet.key(id, { rotate: true })).data
    assert.deepEqual([rotated.status, rotated.fingerprint, rotated.next], ['active', next.fingerprint, null])
    assert.equal(await fleet.domains.git.defaultBranch(await login(), fakeCall().signal), 'main')
  },
)

test(
  'nothing is sent to a host whose key changed, until a person names the new key',
  { skip },
  async (context) => {
    await using fleet = await world(context)
    const refused = await refusalOf(fleet.create({ deploy_key: true }))
    fleet.server.accept(String(refused.details?.['public_key']))
    const { id } = await fleet.create({ deploy_key: true })
    const before = fleet.server.fingerprint
    const after = await fleet.server.changeHostKey()
    const update = (branch: string) =>
      fleet.domains.projects.handlers['project:update']({
        call: fakeCall(),
        input: { project: id, default_branch: branch },
      })
    const changed = await refusalOf(update('other'))
    assert.deepEqual(
      [changed.code, changed.details],
      ['git.host_key_changed', { host: '127.0.0.1', port: fleet.server.port, recorded: [before] }],
    )
    assert.match(changed.message, new RegExp(`fleet git-host:trust 127.0.0.1 --port ${fleet.server.port}`))
    const trust = (fingerprint?: string) =>
      fleet.domains.sourceHost.handlers['git-host:trust']({
        call: fakeCall(),
        input: { host: '127.0.0.1', port: fleet.server.port, fingerprint },
      })
    assert.equal((await refusalOf(trust())).code, 'git.host_key_changed')
    const mismatch = await refusalOf(trust(before))
    assert.deepEqual([mismatch.code, mismatch.details?.['presented']], ['git.host_key_mismatch', [after]])
    const { data } = await trust(after)
    assert.deepEqual(
      data.keys.map(({ fingerprint, trust: how }) => [fingerprint, how]),
      [[after, 'given']],
    )
    assert.equal((await refusalOf(update('other'))).details?.['reason'], 'branch_missing')
  },
)

test(
  'a host is trusted once, and the identical request answers its keys [GW-021]',
  { skip },
  async (context) => {
    await using fleet = await world(context)
    const trust = () =>
      fleet.domains.sourceHost.handlers['git-host:trust']({
        call: fakeCall(),
        input: { host: '127.0.0.1', port: fleet.server.port, fingerprint: fleet.server.fingerprint },
      })
    const first = await trust()
    assert.equal(first.created, true)
    assert.deepEqual(await trust(), { ...first, created: false })
  },
)

test(
  'a Project with an HTTPS URL gets a key for the SSH URL of its repository, and then that URL [PRJ-035]',
  { skip },
  async (context) => {
    await using fleet = await world(context)
    const ssh = fleet.server.urlOf('app')
    const https = ssh.replace(/^ssh:\/\/[^@]*@127\.0\.0\.1:\d+/, 'https://127.0.0.1')
    const identity = https.replace('https://', '').replace(/\.git$/, '')
    const { id } = await addProject(fleet.store, {
      slug: 'app',
      repository_url: https,
      repository_identity: identity,
    })
    const { handlers, projects } = fleet.domains.projects
    const update = () =>
      handlers['project:update']({ call: fakeCall(), input: { project: id, repository_url: ssh } })
    const stored = async () =>
      (await fleet.store.db.selectFrom('projects').select('repository_url').executeTakeFirstOrThrow())
        .repository_url
    assert.equal((await refusalOf(fleet.key(id))).code, 'project.deploy_key_needs_ssh')
    assert.equal((await refusalOf(update())).code, 'project.default_branch_unavailable')
    const other = fleet.key(id, { repository_url: ssh.replace('app.git', 'other.git') })
    assert.equal((await refusalOf(other)).code, 'validation.failed')
    assert.equal(
      (await refusalOf(fleet.key(id, { repository_url: https }))).code,
      'project.deploy_key_needs_ssh',
    )

    const made = await fleet.key(id, { repository_url: ssh })
    assert.deepEqual([made.data.status, made.created], ['pending', true])
    const again = await fleet.key(id, { repository_url: ssh })
    assert.deepEqual(again, { ...made, created: false })
    assert.equal((await refusalOf(update())).code, 'project.default_branch_unavailable')
    fleet.server.accept(made.data.public_key)
    const { data } = await fleet.key(id, { repository_url: ssh })
    assert.deepEqual([data.status, data.public_key], ['active', made.data.public_key])
    const show = (named: { readonly repository_url?: string }) =>
      handlers['project:deploy-key:show']({ call: fakeCall(), input: { project: id, ...named } })
    assert.deepEqual((await show({ repository_url: ssh })).data, data)
    // Until the Project has the URL it is read as before.
    const login = (repository_url: string) =>
      projects.login(fakeCall(), { id, repository_url, source_access: 'github_app' })
    assert.deepEqual([await stored(), (await login(https)).key], [https, undefined])

    assert.equal((await update()).data.repository_url, ssh)
    assert.equal(await stored(), ssh)
    assert.equal((await login(ssh)).key?.fingerprint, data.fingerprint)
    assert.deepEqual((await show({})).data, data)
  },
)

test(
  'the private key is in no answer, no argument and no file, and in the store it is sealed',
  { skip },
  async (context) => {
    await using fleet = await world(context)
    const refused = await refusalOf(fleet.create({ deploy_key: true }))
    const [row] = await fleet.store.db.selectFrom('deploy_keys').selectAll().execute()
    assert.match(row?.private_key ?? '', /^v1:/)
    assert.doesNotMatch(JSON.stringify(refused), /PRIVATE KEY|v1:/)
    fleet.server.accept(String(refused.details?.['public_key']))
    const { id } = await fleet.create({ deploy_key: true })
    const source = { id, repository_url: fleet.server.urlOf('app'), source_access: 'github_app' } as const
    const login = await fleet.domains.projects.projects.login(fakeCall(), source)
    assert.ok(login.input instanceof Secret && login.input.reveal().includes('PRIVATE KEY'))
    assert.doesNotMatch(JSON.stringify(login), /PRIVATE KEY/)
    assert.doesNotMatch(agents(), /fleet-keys-/)
  },
)

const agents = (): string =>
  execFileSync('ps', ['-A', '-o', 'args='], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.startsWith('ssh-agent'))
    .join('\n')

test('a key of a repository that got no Project goes after 30 days', { skip }, async (context) => {
  await using at = await world(context)
  const keyOf = (repository: string, created_at: string) =>
    at.store.db
      .insertInto('deploy_keys')
      .values({
        repository,
        created_at,
        status: 'pending',
        private_key: '',
        public_key: '',
        fingerprint: repository,
      })
      .execute()
  const kept = async () =>
    (
      await at.store.db
        .selectFrom('deploy_keys')
        .select(['repository', 'fingerprint'])
        .orderBy('id')
        .execute()
    )
      .filter(({ fingerprint, repository }) => fingerprint === repository)
      .map(({ repository }) => repository)
  const daysAgo = (days: number) => new Date(systemClock.now().getTime() - days * 86_400_000).toISOString()
  await keyOf('git.test/late', daysAgo(31))
  await keyOf('git.test/early', daysAgo(29))
  assert.equal((await refusalOf(at.create({ deploy_key: true }))).code, 'project.deploy_key_pending')
  assert.deepEqual(await kept(), ['git.test/early'])
})
