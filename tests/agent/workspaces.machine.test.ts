import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { makeWorkspaceReader } from '@fleet/agent/workspaces'
import { CHANNEL, eventually, only, startWorld } from './world.ts'

const IDENTITY = {
  GIT_AUTHOR_NAME: 'a',
  GIT_AUTHOR_EMAIL: 'a@example.org',
  GIT_COMMITTER_NAME: 'a',
  GIT_COMMITTER_EMAIL: 'a@example.org',
  GIT_CONFIG_GLOBAL: '/dev/null',
}

/** A checkout on branch `work`, one commit after `main`, whose origin has `main`. */
function checkout(context: TestContext) {
  const path = mkdtempSync(join(tmpdir(), 'fleet-checkout-'))
  context.after(() => rmSync(path, { recursive: true, force: true }))
  const git = (...words: string[]): string =>
    execFileSync('git', ['-C', path, ...words], {
      env: { ...process.env, ...IDENTITY },
      encoding: 'utf8',
    }).trim()
  const write = (name: string, text: string | Buffer): void => writeFileSync(join(path, name), text)
  git('init', '--quiet', '--initial-branch=main')
  write('a.txt', 'one\ntwo\n')
  git('add', '.')
  git('commit', '--quiet', '--message=first')
  const start = git('rev-parse', 'HEAD')
  git('update-ref', 'refs/remotes/origin/main', start)
  git('checkout', '--quiet', '-b', 'work')
  write('a.txt', 'one\n2\nthree\n')
  git('commit', '--quiet', '--all', '--message=second')
  const read = (wanted: { base?: string; start?: string | null } = {}) =>
    makeWorkspaceReader()(
      { instance_id: 3, path, base: 'main', start, ...wanted },
      new AbortController().signal,
    )
  return { path, git, write, start, read }
}

test('a workspace reports branch, head, commits since its start and the difference to the default branch [AG-033, AGT-023, AGT-024, AGT-025, AGT-027, AGT-028]', async (context) => {
  const { git, start, read } = checkout(context)
  const head = git('rev-parse', 'HEAD')
  assert.deepEqual(await read(), {
    instance_id: 3,
    base: 'main',
    start,
    branch: 'work',
    head,
    dirty: false,
    commits: 1,
    diff: { files: 1, added: 2, removed: 1, truncated: false },
  })
  git('update-ref', '-d', 'refs/remotes/origin/main')
  assert.deepEqual((await read())?.diff, { files: 1, added: 2, removed: 1, truncated: false })
  assert.equal((await read({ base: 'other' }))?.diff, null)
  assert.equal((await read({ start: null }))?.commits, null)
  assert.equal((await read({ start: 'f'.repeat(40) }))?.commits, null)
  git('checkout', '--quiet', '--detach')
  assert.deepEqual(await read().then((state) => [state?.branch, state?.head]), [null, head])
})

test('dirty is what differs in index or working tree, untracked files too, ignored ones and submodules not [AGT-026]', async (context) => {
  const { path, git, write, read } = checkout(context)
  const dirty = async (): Promise<unknown> => (await read())?.dirty
  write('.git/info/exclude', 'ignored\n')
  write('ignored', '')
  assert.equal(await dirty(), false)
  write('new', '')
  assert.equal(await dirty(), true)
  git('add', 'new')
  assert.equal(await dirty(), true)
  git('reset', '--quiet', '--hard')
  assert.equal(await dirty(), false)
  write('a.txt', 'changed')
  assert.equal(await dirty(), true)
  git('reset', '--quiet', '--hard')
  mkdirSync(join(path, 'sub'))
  execFileSync('git', ['-C', join(path, 'sub'), 'init', '--quiet'])
  execFileSync('git', ['-C', join(path, 'sub'), 'commit', '--quiet', '--allow-empty', '--message=x'], {
    env: { ...process.env, ...IDENTITY },
  })
  git('add', 'sub')
  git('commit', '--quiet', '--message=sub')
  write('sub/file', '')
  assert.equal(await dirty(), false)
  write('.git/index', 'rubbish')
  assert.deepEqual(await read().then((state) => [state?.branch, state?.dirty]), ['work', null])
})

test('binary and large files count without lines; with more than 5,000 files no lines are counted [AGT-029]', async (context) => {
  const { path, git, write, read } = checkout(context)
  write('binary', Buffer.from([0, 1, 2, 10]))
  write('large', 'x\n'.repeat(600_000))
  git('add', '.')
  git('commit', '--quiet', '--message=large')
  assert.deepEqual((await read())?.diff, { files: 3, added: 2, removed: 1, truncated: false })
  for (let folder = 0; folder < 50; folder += 1) {
    mkdirSync(join(path, `d${folder}`))
    for (let file = 0; file < 100; file += 1) write(`d${folder}/${file}`, 'x\n')
  }
  git('add', '.')
  git('commit', '--quiet', '--message=many')
  assert.deepEqual((await read())?.diff, { files: 5003, added: null, removed: null, truncated: true })
})

test('commits end at 1,000, and a branch with more than 255 characters leaves its checkout out [AGT-024, AGT-027]', async (context) => {
  const { git, read } = checkout(context)
  const lines = Array.from(
    { length: 1100 },
    () => `commit refs/heads/work\ncommitter a <a@example.org> 0 +0000\ndata 1\nx\n`,
  )
  execFileSync('git', ['-C', git('rev-parse', '--show-toplevel'), 'fast-import', '--quiet', '--force'], {
    input: lines.join(''),
  })
  const first = git('rev-list', '--max-parents=0', 'work')
  assert.equal((await read({ start: first }))?.commits, 1000)
  const long = `${'b/'.repeat(60)}${'c'.repeat(200)}`
  git('symbolic-ref', 'HEAD', `refs/heads/${long}`)
  assert.equal(await read(), undefined)
})

test('reading starts no program that a checkout names, and writes nothing', async (context) => {
  const { path, git, write, read } = checkout(context)
  const trap = join(path, '.git/trap')
  write('.git/program', `#!/bin/sh\ntouch ${trap}\ncat\n`)
  execFileSync('chmod', ['+x', join(path, '.git/program')])
  for (const name of [
    'filter.t.clean',
    'filter.t.smudge',
    'filter.t.process',
    // Holds the sign that ends a name on a command line.
    'filter.a=b.clean',
    'core.fsmonitor',
    'diff.external',
    'diff.t.textconv',
    'diff.t.command',
    'core.pager',
  ])
    git('config', name, join(path, '.git/program'))
  write('.git/info/attributes', 'a.txt filter=a=b\n* diff=t\nb.txt filter=t\n')
  for (const hook of ['post-index-change', 'pre-commit', 'reference-transaction']) {
    write(`.git/hooks/${hook}`, `#!/bin/sh\ntouch ${trap}\n`)
    execFileSync('chmod', ['+x', join(path, '.git/hooks', hook)])
  }
  execFileSync('touch', [join(path, 'a.txt')])
  write('b.txt', 'new')
  const before = traces(join(path, '.git'))
  assert.equal((await read())?.dirty, true)
  assert.equal(existsSync(trap), false)
  assert.deepEqual(traces(join(path, '.git')), before)
})

const traces = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .toSorted()
    .map((name) => `${name} ${statSync(join(folder, name)).mtimeMs}`)

test('the agent reports its workspaces after a snapshot, one when it changes, and the list when one is gone [AG-022, AG-023, AGT-033]', async (context) => {
  const { path, git, start } = checkout(context)
  await using world = await startWorld()
  world.answers.workspaces = [
    { instance_id: 3, path, base: 'main', start },
    { instance_id: 4, path: '/nonexistent', base: 'main', start },
  ]
  const view = await world.member(CHANNEL)
  world.agent()
  await world.until(() => only(view, 'client-workspaces').some(({ workspaces }) => workspaces.length === 1))
  git('commit', '--quiet', '--allow-empty', '--message=more')
  await world.until(() => only(view, 'client-workspace').length === 1)
  assert.deepEqual(
    only(view, 'client-workspace').map(({ workspace }) => [workspace.commits, workspace.head]),
    [[2, git('rev-parse', 'HEAD')]],
  )
  writeFileSync(join(path, 'new'), '')
  // Nothing of the metadata changed: the full reading every 30 s sees it.
  await world.until(() => only(view, 'client-workspace').length === 2)
  assert.equal(only(view, 'client-workspace')[1]?.workspace.dirty, true)
  rmSync(join(path, '.git'), { recursive: true })
  await world.until(() => only(view, 'client-workspaces').at(-1)?.workspaces.length === 0)
  await eventually(() => view.said().length > 0)
})

test('a linked checkout, or one whose Git directory is a link or lies elsewhere, shows nothing', async (context) => {
  const { path, start } = checkout(context)
  const read = (at: string) =>
    makeWorkspaceReader()({ instance_id: 3, path: at, base: 'main', start }, new AbortController().signal)
  const other = mkdtempSync(join(tmpdir(), 'fleet-checkout-'))
  context.after(() => rmSync(other, { recursive: true, force: true }))
  symlinkSync(path, join(other, 'checkout'))
  assert.notEqual(await read(path), undefined)
  assert.equal(await read(join(other, 'checkout')), undefined)
  renameSync(join(path, '.git'), join(other, 'git'))
  symlinkSync(join(other, 'git'), join(path, '.git'))
  assert.equal(await read(path), undefined)
  rmSync(join(path, '.git'))
  writeFileSync(join(path, '.git'), `gitdir: ${join(other, 'git')}\n`)
  assert.equal(await read(path), undefined)
})

test('a gateway that gives the list no more leaves the old one standing; another list is reported [AG-022, AGT-033]', async (context) => {
  const { path, start } = checkout(context)
  await using world = await startWorld()
  const view = await world.member(CHANNEL)
  world.agent()
  await eventually(() => only(view, 'client-workspaces').length === 1)
  world.answers.workspaces = [{ instance_id: 3, path, base: 'main', start }]
  await world.until(() => only(view, 'client-workspaces').at(-1)?.workspaces.length === 1)
  world.answers.workspaces = 'rubbish'
  await world.pass(65_000)
  assert.equal(only(view, 'client-workspaces').at(-1)?.workspaces.length, 1)
})
