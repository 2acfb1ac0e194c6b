import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fakeCall, fakeRemoteGit, openTestStore, testDomains } from '@fleet/testing'

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
