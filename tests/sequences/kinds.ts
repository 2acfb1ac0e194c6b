import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  ftruncateSync,
  linkSync,
  mkdirSync,
  openSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import type { ErrorCode } from '@fleet/contract'
import { git } from '@fleet/testing/git-server'
import { fillWithWork } from './work.ts'

/** A clone of the Project's repository that is to become one of a kind. */
export interface Clone {
  readonly path: string
  /** A folder beside it that nothing may touch. */
  readonly outside: string
  /** Whatever runs out of the checkout writes it. */
  readonly trap: string
  /** The repository that it was cloned from, on this machine, and another one. */
  readonly origin: string
  readonly library: string
}

/**
 * What is done with a checkout: `adopt` moves it to its place, `bring` does from another file system, `rename` gives it another
 * domain and its Project another slug, `move` is to another Node, and `clone` is for production.
 */
export type Deed = 'adopt' | 'bring' | 'rename' | 'copy' | 'clone' | 'move' | 'remove'

export interface Kind {
  readonly make: (clone: Clone) => void
  /** The deeds that are refused, with their code; every other one keeps every byte. What is not removed is then removed by force. */
  readonly refused?: Readonly<Partial<Record<Deed, ErrorCode>>>
}

const file = ({ path }: Pick<Clone, 'path'>, name: string | Buffer, content: string | Buffer = ''): void => {
  const at = Buffer.concat([Buffer.from(`${path}/`), Buffer.from(name)])
  mkdirSync(at.subarray(0, at.lastIndexOf('/')), { recursive: true })
  writeFileSync(at, content)
}

/** Commits all that is there, also to the repository that it was cloned from. */
function publish({ path, origin }: Clone): void {
  git(path, ['add', '--all'])
  git(path, ['commit', '-q', '--no-verify', '-m', 'Change'])
  git(path, ['push', '-q', '--no-verify', origin, 'HEAD:main'])
  git(path, ['fetch', '-q', origin, 'main:refs/remotes/origin/main'])
}

/** Bytes that nothing makes smaller, and no two blocks of which are the same. */
function noise(count: number): Buffer {
  const bytes = Buffer.alloc(count)
  for (let at = 0; at < count; at += 32) createHash('sha256').update(String(at)).digest().copy(bytes, at)
  return bytes
}

const MEBIBYTE = 1024 * 1024

export const KINDS: Readonly<Record<string, Kind>> = {
  'a plain repository': { make: () => undefined },
  'work of every kind that exists nowhere else': {
    make: ({ path }) => fillWithWork(path),
    refused: {
      copy: 'instance.copy_source_dirty',
      clone: 'instance.clone_candidate_dirty',
      remove: 'instance.remove_refused',
    },
  },
  'submodules, one with a commit of its own': {
    make: (clone) => {
      const { path, library } = clone
      git(path, ['-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', library, 'lib'])
      publish(clone)
      git(join(path, 'lib'), ['switch', '-q', '-c', 'mine'])
      git(join(path, 'lib'), ['commit', '-q', '--allow-empty', '-m', 'only here'])
    },
    refused: {
      copy: 'instance.copy_source_dirty',
      clone: 'instance.clone_candidate_dirty',
      remove: 'instance.remove_refused',
    },
  },
  'pointers of Git LFS': {
    make: (clone) => {
      const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'4d'.repeat(32)}\nsize 12345\n`
      file(clone, '.gitattributes', '*.bin filter=lfs diff=lfs merge=lfs -text\n')
      file(clone, 'logo.bin', pointer)
      publish(clone)
    },
    refused: { clone: 'instance.source_failed' },
  },
  'a linked worktree': {
    make: ({ path, outside }) => {
      git(path, ['worktree', 'add', '-q', '-b', 'beside', join(outside, 'beside')])
      writeFileSync(join(outside, 'beside', 'untracked.txt'), 'only there\n')
    },
    refused: { move: 'instance.source_worktrees_mismatch', remove: 'instance.remove_refused' },
  },
  'a detached head': {
    make: ({ path }) => void git(path, ['switch', '-q', '--detach']),
    refused: {
      copy: 'instance.copy_source_branch_invalid',
      clone: 'instance.clone_candidate_branch_invalid',
    },
  },
  'a shallow history': {
    make: (clone) => {
      file(clone, 'second.txt', 'second\n')
      publish(clone)
      git(clone.path, [
        'fetch',
        '-q',
        '--depth',
        '1',
        `file://${clone.origin}`,
        'main:refs/remotes/origin/main',
      ])
      git(clone.path, ['reflog', 'expire', '--expire=now', '--all'])
      git(clone.path, ['gc', '-q', '--prune=now'])
    },
  },
  'a merge that nobody has finished': {
    make: (clone) => {
      const { path } = clone
      git(path, ['switch', '-q', '-c', 'theirs'])
      file(clone, 'both.txt', 'theirs\n')
      git(path, ['add', '--all'])
      git(path, ['commit', '-q', '-m', 'Theirs'])
      git(path, ['switch', '-q', 'main'])
      file(clone, 'both.txt', 'ours\n')
      git(path, ['add', '--all'])
      git(path, ['commit', '-q', '-m', 'Ours'])
      assert.throws(() => git(path, ['merge', '-q', 'theirs']))
    },
    refused: {
      copy: 'instance.copy_source_dirty',
      clone: 'instance.clone_candidate_dirty',
      remove: 'instance.remove_refused',
    },
  },
  'a sparse checkout': {
    make: ({ path }) => void git(path, ['sparse-checkout', 'set', 'public']),
  },
  'objects that are borrowed from another repository': {
    make: ({ path, origin }) =>
      file({ path }, '.git/objects/info/alternates', `${join(origin, 'objects')}\n`),
    refused: { copy: 'instance.copy_source_layout_invalid', move: 'instance.source_layout_mismatch' },
  },
  'huge files, one with a hole': {
    make: (clone) => {
      file(clone, 'tracked.raw', noise(6 * MEBIBYTE))
      file(clone, '.gitignore', '*.ignored\n')
      publish(clone)
      file(clone, 'upload.ignored', noise(12 * MEBIBYTE))
      const hole = openSync(join(clone.path, 'hole.ignored'), 'w')
      writeSync(hole, 'start')
      ftruncateSync(hole, 24 * MEBIBYTE)
      closeSync(hole)
    },
  },
  'links of every kind': {
    make: (clone) => {
      const { path, outside } = clone
      file(clone, 'docs/page.txt', 'page\n')
      for (const [name, leads] of [
        ['relative', 'docs/page.txt'],
        ['folder', 'docs'],
        ['dangling', 'nowhere'],
        ['docs/up', '..'],
        ['round', 'round'],
        ['out', outside],
        ['out-file', join(outside, 'file')],
        ['above', '../../..'],
      ] as const)
        symlinkSync(leads, join(path, name))
      file(clone, '.gitignore', '/vendor\n')
      publish(clone)
      file(clone, 'vendor/one', 'the same file\n')
      linkSync(join(path, 'vendor/one'), join(path, 'vendor/two'))
      symlinkSync(outside, join(path, 'vendor/out'))
    },
  },
  'unusual names': {
    make: (clone) => {
      const names = [
        '-rf',
        '--force',
        ' leading',
        'trailing ',
        'line\nbreak',
        'tab\tand"quote\'',
        'back\\slash',
        '*',
        '?',
        '$(touch trap)',
        '`touch trap`',
        ';touch trap',
        '~',
        '...',
        '.gitfoo',
        'GIT',
        'é',
        'e\u0301',
        '日本',
        '🚀',
        'x'.repeat(255),
        '#',
        '%s%n',
        '&',
        `${'deep/'.repeat(50)}end`,
      ]
      for (const name of names) file(clone, name, name)
      file(clone, Buffer.from([0x66, 0xff, 0xfe, 0x80]), 'no text\n')
      file(clone, '.gitignore', 'ignored\n')
      publish(clone)
      for (const name of names) file(clone, `ignored/${name}`, name)
    },
  },
  'hooks, filters and programs of its configuration': {
    make: (clone) => {
      const { path, trap } = clone
      const program = join(path, '.git/run')
      writeFileSync(program, `#!/bin/sh\necho "$0 $*" >>'${trap}'\ncat\n`)
      chmodSync(program, 0o755)
      const hooks = [
        'pre-commit',
        'post-checkout',
        'post-merge',
        'post-rewrite',
        'post-commit',
        'pre-push',
        'pre-auto-gc',
        'reference-transaction',
        'fsmonitor-watchman',
        'post-index-change',
        'push-to-checkout',
        'update',
        'post-update',
        'pre-rebase',
        'pre-receive',
        'post-receive',
        'sendemail-validate',
        'prepare-commit-msg',
        'commit-msg',
      ]
      file(clone, '.gitattributes', '*.txt filter=mine diff=mine\n')
      file(clone, 'text.txt', 'text\n')
      publish(clone)
      for (const [name, value] of [
        ['filter.mine.clean', program],
        ['filter.mine.smudge', program],
        ['diff.mine.command', program],
        ['diff.mine.textconv', program],
        ['core.fsmonitor', program],
        ['core.sshCommand', program],
        ['core.pager', program],
        ['core.editor', program],
        ['credential.helper', `!${program}`],
        ['diff.external', program],
        ['gpg.program', program],
        ['uploadpack.packObjectsHook', program],
        ['core.askPass', program],
        ['core.gitProxy', program],
        ['trailer.x.command', program],
        ['alias.status', `!${program}`],
        ['remote.origin.uploadpack', program],
      ] as const)
        git(path, ['config', name, value])
      for (const hook of hooks)
        writeFileSync(join(path, '.git/hooks', hook), `#!/bin/sh\necho "$0 $*" >>'${trap}'\n`, {
          mode: 0o755,
        })
    },
  },
}
