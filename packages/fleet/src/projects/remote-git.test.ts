import assert from 'node:assert/strict'
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { git, startGitServer } from '@fleet/testing/git-server'
import { RemoteUnreadable } from '#/projects/ports.ts'
import { makeRemoteGit } from '#/projects/remote-git.ts'
import { ownLogin } from '#/source-host/api.ts'

const { signal } = new AbortController()
const PATH = '/usr/local/bin:/usr/bin:/bin'

const folder = (context: TestContext): string => {
  const path = mkdtempSync(join(tmpdir(), 'fleet-remote-'))
  context.after(() => rmSync(path, { recursive: true, force: true }))
  return path
}

test('branches are read from a real remote over HTTPS [PRJ-032]', async (context) => {
  await using server = await startGitServer(['app'])
  server.commit('app', 'feature/x', { 'a.txt': 'a' })
  const remote = makeRemoteGit({ GIT_SSL_CAINFO: server.caFile, HOME: folder(context) })
  const source = ownLogin(server.urlOf('app'))
  assert.equal(await remote.defaultBranch(source, signal), 'main')
  assert.equal(await remote.hasBranch(source, 'feature/x', signal), true)
  assert.equal(await remote.hasBranch(source, 'x', signal), false)
  assert.equal(await remote.hasBranch(source, 'feature/*', signal), false)
  git(server.pathOf('app'), ['symbolic-ref', 'HEAD', 'refs/heads/feature/x'])
  assert.equal(await remote.defaultBranch(source, signal), 'feature/x')
})

test('a remote that is missing, down or untrusted cannot be read, and nobody is asked [PRJ-032]', async (context) => {
  await using server = await startGitServer(['app'])
  const home = folder(context)
  const remote = makeRemoteGit({ GIT_SSL_CAINFO: server.caFile, HOME: home })
  const at = ownLogin
  await assert.rejects(remote.defaultBranch(at(server.urlOf('missing')), signal), {
    name: 'RemoteUnreadable',
    gitReason: 'not_found',
  })
  const untrusting = makeRemoteGit({ HOME: home })
  await assert.rejects(untrusting.hasBranch(at(server.urlOf('app')), 'main', signal), {
    gitReason: 'certificate',
  })
  await assert.rejects(remote.hasBranch(at('https://127.0.0.1:1/x'), 'main', signal), {
    gitReason: 'refused',
  })
  server.down = true
  await assert.rejects(remote.hasBranch(at(server.urlOf('app')), 'main', signal), { gitReason: 'server' })
})

test('a URL is never an option and no other transport is used [PRJ-005]', async (context) => {
  const home = folder(context)
  const remote = makeRemoteGit({ HOME: home })
  const mark = join(home, 'mark')
  for (const url of [`--upload-pack=touch ${mark}`, `ext::touch ${mark}`, home]) {
    await assert.rejects(remote.defaultBranch(ownLogin(url), signal), RemoteUnreadable)
  }
  assert.equal(existsSync(mark), false)
})

test('the token of the GitHub login is asked of gh on this machine [PRJ-038]', async (context) => {
  const home = folder(context)
  const gh = join(home, 'gh')
  const remote = makeRemoteGit({ HOME: home, PATH: `${home}:${PATH}` })
  writeFileSync(gh, '#!/bin/sh\necho secret-token\nexit 0\n')
  chmodSync(gh, 0o755)
  assert.equal((await remote.githubToken(signal))?.reveal(), 'secret-token')
  writeFileSync(gh, '#!/bin/sh\nexit 4\n')
  assert.equal(await remote.githubToken(signal), undefined)
  rmSync(gh)
  assert.equal(await remote.githubToken(signal), undefined)
})

test('a remote without a default branch is distinguished by what it lacks, and SHA-256 objects are no obstacle', async (context) => {
  await using server = await startGitServer(['app'])
  const remote = makeRemoteGit({ GIT_SSL_CAINFO: server.caFile, HOME: folder(context) })
  const source = (name: string) => ownLogin(server.urlOf(name))
  const lacks = async (reading: Promise<unknown>): Promise<unknown> =>
    reading.then(
      () => 'nothing',
      (error: unknown) => (error instanceof RemoteUnreadable ? error.gitReason : error),
    )
  server.add('empty')
  assert.equal(await lacks(remote.defaultBranch(source('empty'), signal)), 'empty')
  assert.equal(await lacks(remote.hasBranch(source('empty'), 'main', signal)), 'empty')
  git(server.pathOf('app'), ['symbolic-ref', 'HEAD', 'refs/heads/nothing'])
  assert.equal(await lacks(remote.defaultBranch(source('app'), signal)), 'head_without_branch')
  assert.equal(await remote.hasBranch(source('app'), 'nothing', signal), false)
  git(server.pathOf('app'), ['update-ref', '--no-deref', 'HEAD', 'refs/heads/main'])
  assert.equal(await lacks(remote.defaultBranch(source('app'), signal)), 'detached_head')
  assert.equal(await remote.hasBranch(source('app'), 'main', signal), true)
  server.add('wide', 'sha256')
  server.commit('wide', 'main', { 'a.txt': '1' })
  assert.equal(await remote.defaultBranch(source('wide'), signal), 'main')
  assert.equal(await remote.hasBranch(source('wide'), 'main', signal), true)
})
