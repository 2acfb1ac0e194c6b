import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { tracesOf } from './traces.ts'

const place = (context: TestContext, files: Readonly<Record<string, string>>): string => {
  const folder = mkdtempSync(join(tmpdir(), 'fleet-traces-'))
  context.after(() => rmSync(folder, { recursive: true }))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  return folder
}
const HEAD = 'ref: refs/heads/work\n'

test('pipes in the place of the small files of a checkout are not waited for', async (context) => {
  const whole = { '.git/HEAD': HEAD, '.git/index': 'i' }
  for (const pipe of ['.git', '.git/HEAD', '.git/commondir', '.git/index']) {
    const checkout = place(context, whole)
    rmSync(join(checkout, pipe), { recursive: true, force: true })
    execFileSync('mkfifo', [join(checkout, pipe)])
    assert.equal((await tracesOf(checkout, 'main')).startsWith(HEAD), !/HEAD|git$/.test(pipe), pipe)
  }
})

test('a linked worktree is looked at where its file says, with the branches of its repository', async (context) => {
  const folder = place(context, {
    'tree/.git': 'gitdir: ../main/.git/worktrees/tree\n',
    'main/.git/worktrees/tree/HEAD': HEAD,
    'main/.git/worktrees/tree/commondir': '../..\n',
  })
  const before = await tracesOf(join(folder, 'tree'), 'main')
  mkdirSync(join(folder, 'main/.git/refs/heads'), { recursive: true })
  writeFileSync(join(folder, 'main/.git/refs/heads/work'), 'c')
  assert.notEqual(await tracesOf(join(folder, 'tree'), 'main'), before)
  assert.ok(before.startsWith(HEAD))
})
