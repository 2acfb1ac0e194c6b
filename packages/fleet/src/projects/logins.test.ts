import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  addProject,
  fakeCall,
  fakeRemoteGit,
  openTestStore,
  recordHostKey,
  testDomains,
} from '@fleet/testing'
import { startFakeGitHub } from '@fleet/testing/fake-github'

test('gh_cli reads with the token of gh, asked for each use, and with nothing else [PRX-023]', async () => {
  await using store = await openTestStore()
  const git = fakeRemoteGit()
  const { projects } = testDomains({ store }, { git }).projects
  const login = (repository_url: string) =>
    projects.login(fakeCall(), { id: undefined, repository_url, source_access: 'gh_cli' })
  await assert.rejects(login('https://github.com/acme/shop'), { code: 'github.cli_unauthenticated' })
  git.githubLogin = true
  const { url, input } = await login('git@github.com:acme/shop.git')
  assert.equal(url, 'https://github.com/acme/shop.git')
  const header = `Authorization: Basic ${Buffer.from('x-access-token:gh-token').toString('base64')}`
  assert.equal(input.reveal(), `token\n${url}\n${header}\n`)
  git.githubLogin = false
  await assert.rejects(login('https://github.com/acme/shop'), { code: 'github.cli_unauthenticated' })
})

test('without a key or a login of its own a repository is read with what the machine has', async () => {
  await using store = await openTestStore()
  const { projects } = testDomains({ store }, { git: fakeRemoteGit() }).projects
  const source = {
    id: undefined,
    repository_url: 'https://git.test/a/b',
    source_access: 'github_app',
  } as const
  assert.equal((await projects.login(fakeCall(), source)).input.reveal(), 'none\n')
})

test('github_app reads with a token of the app where that covers the repository, whatever its URL says; gh_cli and a deploy key never ask it [PRX-018]', async () => {
  await using host = await startFakeGitHub([])
  await using store = await openTestStore()
  const git = { ...fakeRemoteGit(), githubLogin: true, defaultBranch: async () => 'main' }
  const { projects } = testDomains({ store, github: host.server }, { git })
  const login = (repository_url: string, source_access: 'github_app' | 'gh_cli', id?: number) =>
    projects.projects.login(fakeCall(), { id, repository_url, source_access })
  host.install(await host.addApp(store), 'acme', ['shop'])
  const shop = `${host.server.web}/acme/shop.git`
  for (const url of [
    'git@127.0.0.1:acme/shop.git',
    'https://127.0.0.1:1/acme/shop/',
    'ssh://x@127.0.0.1/acme/shop',
  ]) {
    const { url: read, input } = await login(url, 'github_app')
    const token = Buffer.from(`x-access-token:${host.secrets.at(-1) ?? ''}`).toString('base64')
    assert.equal(read, shop)
    assert.equal(input.reveal(), `token\n${shop}\nAuthorization: Basic ${token}\n`)
  }
  assert.equal((await login(shop.replace('shop', 'other'), 'github_app')).input.reveal(), 'none\n')
  host.calls.length = 0
  await login('git@127.0.0.1:acme/shop.git', 'gh_cli')
  const { id } = await addProject(store, { repository_url: 'git@127.0.0.1:acme/shop.git' })
  await recordHostKey(store, '127.0.0.1')
  const key = () =>
    projects.handlers['project:deploy-key:create']({ call: fakeCall(), input: { project: id } })
  await key()
  assert.equal((await key()).data.status, 'active')
  assert.ok((await login('git@127.0.0.1:acme/shop.git', 'github_app', id)).key)
  assert.deepEqual(host.calls, [])
})
