import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Secret } from '@fleet/kernel'
import { fakeCall, localPool, localSession, sshdMissing, testDomains } from '@fleet/testing'
import { git, startGitServer } from '@fleet/testing/git-server'
import { type InstancesFleet, refusalOf, startInstancesFleet } from '@fleet/testing/instances-fleet'
import { startSshGitServer } from '@fleet/testing/ssh-git-server'
import { inspectSource } from '#/instances/commands/inspect-source.ts'
import { inspectUpstream } from '#/instances/commands/inspect-upstream.ts'
import { prepareCheckout } from '#/instances/commands/prepare-checkout.ts'
import { resolveSource } from '#/instances/commands/resolve-source.ts'
import { switchBranch } from '#/instances/commands/switch-branch.ts'
import { branchTip } from '#/instances/releases/branch-tip.ts'
import { updateCheckout } from '#/instances/releases/update-checkout.ts'
import { witnessGit } from '#/instances/witness-git.test.ts'
import { ownLogin, type SourceLogin, tokenLogin } from '#/source-host/api.ts'

const skip = sshdMissing

/** The Project of a fleet behind a Git host that knows only its active deploy key. */
async function privateSource(fleet: InstancesFleet, server: Awaited<ReturnType<typeof startSshGitServer>>) {
  const { id } = fleet.project
  const repository_url = server.urlOf('app')
  await fleet.store.db.updateTable('projects').set({ repository_url }).where('id', '=', id).execute()
  const { projects } = testDomains({ store: fleet.store, ssh: fleet.pool })
  const key = () =>
    projects.handlers['project:deploy-key:create']({ call: fakeCall(), input: { project: id } })
  server.accept((await key()).data.public_key)
  assert.equal((await key()).data.status, 'active')
  return () => projects.projects.login(fakeCall(), { id, repository_url, source_access: 'github_app' })
}

const commit = (bare: string, branch: string, text: string): string => {
  const lines = [
    `commit refs/heads/${branch}`,
    'mark :1',
    'committer Test <test@example.com> 1767322801 +0000',
    'data 6',
    'Change',
    'from refs/heads/main^0',
    'M 100644 inline b.txt',
    `data ${text.length}`,
    text,
    '',
    'get-mark :1',
    '',
  ]
  return git(bare, ['fast-import', '--quiet', '--force'], lines.join('\n'))
}

test(
  'a Node reads a private repository with the deploy key alone, through a whole life',
  { skip },
  async () => {
    await using server = await startSshGitServer(['app'])
    await using fleet = await startInstancesFleet()
    const temporary = join(fleet.home, 'temporary')
    mkdirSync(temporary)
    const pool = localPool({ home: fleet.home, env: { TMPDIR: temporary, GIT_CONFIG_NOSYSTEM: '1' } })
    const login = await (await privateSource(fleet, server))()
    const domain = fleet.rebuild({ ssh: pool })
    const { data } = await fleet.create({}, domain)
    assert.equal(readFileSync(join(data.checkout_path, 'README.md'), 'utf8'), 'text')

    const row = await fleet.store.db.selectFrom('instances').selectAll().executeTakeFirstOrThrow()
    const place = { checkoutPath: row.checkout_path, preparationId: row.preparation_id }
    const session = localSession(pool)
    const bare = server.pathOf('app')
    git(row.checkout_path, ['checkout', '-q', 'main'])
    const next = commit(bare, 'main', 'new')
    const tip = (given: SourceLogin) => session.ask(branchTip, { ...place, branch: 'main', login: given })
    assert.deepEqual([await tip(login), await tip(ownLogin(login.url))], [next, undefined])
    const update = (given: SourceLogin) =>
      session.ask(updateCheckout, {
        ...place,
        login: given,
        repositoryUrl: login.url,
        branch: 'main',
        applicationDirectory: '',
      })
    assert.equal((await update(ownLogin(login.url))).word, 'fetch-failed')
    assert.deepEqual(await update(login), { word: 'updated', commit: next })
    assert.equal(readFileSync(join(row.checkout_path, 'b.txt'), 'utf8'), 'new')

    const other = commit(bare, 'other', 'other')
    const switching = { from: 'main', to: 'other' }
    const upstream = { ...place, url: login.url, branch: 'other', switching, applicationDirectory: '' }
    assert.equal((await session.ask(inspectUpstream, { ...upstream, login })).word, 'inspected')
    assert.equal(
      (await session.ask(inspectUpstream, { ...upstream, login: ownLogin('') })).word,
      'fetch-failed',
    )
    const change = { ...place, ...switching, drops: false, applicationDirectory: '' }
    assert.equal((await session.ask(switchBranch, { ...change, login: ownLogin('') })).word, 'fetch-failed')
    assert.equal(
      (await session.ask(switchBranch, { ...change, login, to: 'nowhere' })).word,
      'branch-missing',
    )
    assert.deepEqual(await session.ask(switchBranch, { ...change, login }), {
      word: 'switched',
      commit: other,
    })

    const look = { ...place, applicationDirectory: '', asked: 'ask' as const }
    const seen = await session.ask(inspectSource, { ...look, login })
    assert.deepEqual(seen.word === 'inspected' && [seen.facts.asked, seen.facts.lost], ['asked', false])
    git(row.checkout_path, ['checkout', '-q', data.selected_branch ?? ''])
    await fleet.destroy(data.id, false, domain)
    assert.equal(existsSync(data.checkout_path), false)
    assert.deepEqual(readdirSync(temporary), [])
    assert.doesNotMatch(
      execFileSync('ps', ['-A', '-o', 'args='], { encoding: 'utf8' }),
      new RegExp(temporary),
    )
  },
)

test(
  'checkouts of a Project with an HTTPS URL follow it to the SSH URL that its deploy key was made for',
  { skip },
  async () => {
    await using server = await startSshGitServer(['app'])
    await using fleet = await startInstancesFleet()
    await privateSource(fleet, server)
    const { data } = await fleet.create()
    const { db } = fleet.store
    const { id } = fleet.project
    const { projects } = testDomains({ store: fleet.store, ssh: fleet.pool })
    const ssh = server.urlOf('app')
    // As it would be had its owner given both another login until now.
    const https = ssh.replace(/^ssh:\/\/[^@]*@127\.0\.0\.1:\d+/, 'https://127.0.0.1')
    const repository_identity = https.replace('https://', '').replace(/\.git$/, '')
    await db
      .updateTable('projects')
      .set({ repository_url: https, repository_identity })
      .where('id', '=', id)
      .execute()
    await db.deleteFrom('deploy_keys').execute()
    git(data.checkout_path, ['remote', 'set-url', 'origin', https])
    const update = () =>
      projects.handlers['project:update']({ call: fakeCall(), input: { project: id, repository_url: ssh } })
    await assert.rejects(update(), { code: 'project.default_branch_unavailable' })
    const key = () =>
      projects.handlers['project:deploy-key:create']({
        call: fakeCall(),
        input: { project: id, repository_url: ssh },
      })
    server.accept((await key()).data.public_key)
    assert.equal((await key()).data.status, 'active')
    assert.equal((await update()).data.repository_url, ssh)
    assert.equal(git(data.checkout_path, ['config', '--get', 'remote.origin.url']), ssh)
  },
)

test(
  'nothing that a checkout names gets to know the key: its settings have no part in a fetch with a login',
  { skip },
  async () => {
    await using server = await startSshGitServer(['app'])
    await using fleet = await startInstancesFleet()
    const login = await (await privateSource(fleet, server))()
    const { data } = await fleet.create()
    const trap = join(fleet.home, 'trap')
    const program = join(fleet.home, 'program')
    writeFileSync(program, `#!/bin/sh\nenv >>${trap}\nexit 1\n`, { mode: 0o755 })
    const settings = [
      ['url.ssh://127.0.0.1:1/.insteadOf', 'ssh://'],
      ['core.sshCommand', program],
      ['core.gitProxy', program],
      ['remote.origin.uploadpack', program],
      ['remote.origin.vcs', 'trap'],
      ['remote.origin.url', 'ssh://127.0.0.1:1/other'],
      ['credential.helper', `!${program}`],
    ] as const
    for (const [name, value] of settings) git(data.checkout_path, ['config', name, value])
    mkdirSync(join(data.checkout_path, '.git/hooks'), { recursive: true })
    writeFileSync(join(data.checkout_path, '.git/hooks/reference-transaction'), readFileSync(program), {
      mode: 0o755,
    })
    const row = await fleet.store.db.selectFrom('instances').selectAll().executeTakeFirstOrThrow()
    const answer = await localSession(fleet.pool).ask(branchTip, {
      checkoutPath: row.checkout_path,
      preparationId: row.preparation_id,
      branch: 'main',
      login,
    })
    assert.equal(answer, git(server.pathOf('app'), ['rev-parse', 'main']))
    assert.equal(existsSync(trap), false)
  },
)

test(
  'a creation whose key was withdrawn, or whose host has another key, says so and leaves nothing',
  { skip },
  async () => {
    await using server = await startSshGitServer(['app'])
    await using fleet = await startInstancesFleet()
    const login = await (await privateSource(fleet, server))()
    server.accept()
    const withdrawn = await fleet.create().then(
      () => undefined,
      (error: unknown) => error,
    )
    assert.match(
      String(withdrawn),
      /rejects the one in use\. It is read with the deploy key SHA256:\S+; `fleet project:deploy-key:show PROJECT`/,
    )
    assert.equal((await refusalOf(fleet.create())).code, 'instance.branch_resolution_failed')
    await server.changeHostKey()
    const { code, details } = await refusalOf(fleet.create())
    assert.deepEqual(
      [code, details['recorded']],
      ['git.host_key_changed', login.key?.host.keys.map(({ fingerprint }) => fingerprint)],
    )
    assert.deepEqual(fleet.residue(), [])
  },
)

test('a token goes to its own server in the environment of one command, and is nowhere else afterwards [PRX-017]', async () => {
  await using server = await startGitServer(['app'])
  server.authorization = `Basic ${Buffer.from('x-access-token:canary').toString('base64')}`
  await using fleet = await startInstancesFleet()
  using witness = witnessGit()
  const pool = localPool({
    home: fleet.home,
    env: { GIT_SSL_CAINFO: server.caFile, GIT_CONFIG_NOSYSTEM: '1', PATH: witness.path },
  })
  const place = { checkoutPath: join(fleet.home, 'apps/app/one'), preparationId: 'p-1' }
  const session = localSession(pool)
  await session.ask(prepareCheckout, place)
  const url = server.urlOf('app')
  const resolve = (login: SourceLogin) =>
    session.ask(resolveSource, {
      ...place,
      login,
      repositoryUrl: url,
      branch: 'main',
      defaultBranch: 'main',
      applicationDirectory: '',
    })
  assert.deepEqual(await resolve(ownLogin(url)), { word: 'fetch-failed', gitReason: 'authentication' })
  const elsewhere = tokenLogin('https://github.com/acme/shop', new Secret('canary'))
  assert.equal((await resolve({ ...elsewhere, url })).word, 'fetch-failed')
  assert.equal((await resolve(tokenLogin(url, new Secret('canary')))).word, 'resolved')
  const { args, env, mode } = witness.fetch()
  assert.equal(mode, '700')
  assert.doesNotMatch(args, /canary|eC1hY2Nlc3M/)
  assert.match(args, /-c core\.hooksPath=\/dev\/null -c core\.fsmonitor=false/)
  assert.deepEqual(
    env.filter((line) => /canary|eC1hY2Nlc3M/.test(line)),
    [`GIT_CONFIG_VALUE_0=Authorization: ${server.authorization}`],
  )
  const origin = new URL(url).origin
  assert.ok(env.includes(`GIT_CONFIG_KEY_0=http.${origin}/.extraHeader`))
  assert.ok(env.includes('GIT_CONFIG_KEY_1=credential.helper') && env.includes('GIT_CONFIG_VALUE_1='))
  const { git: domainGit } = testDomains({
    store: fleet.store,
    gitEnvironment: { GIT_SSL_CAINFO: server.caFile },
  })
  const { signal } = new AbortController()
  assert.equal(await domainGit.defaultBranch(tokenLogin(url, new Secret('canary')), signal), 'main')
  // grep ends with 1 where it finds nothing.
  const { status } = spawnSync('grep', ['-rqE', 'canary|eC1hY2Nlc3M', fleet.home])
  assert.equal(status, 1)
})
