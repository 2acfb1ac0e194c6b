import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { git } from '@fleet/testing/git-server'

/** Work of every kind that exists nowhere else: commits, a branch, a stash, untracked and ignored files, links, modes. */
export function fillWithWork(path: string): void {
  const write = (name: string, text: string): void => writeFileSync(join(path, name), text)
  write('.env', 'SECRET=mine\n')
  chmodSync(join(path, '.env'), 0o600)
  write('stashed.txt', 'stashed\n')
  git(path, ['add', 'stashed.txt'])
  git(path, ['stash', 'push', '-q', '--', 'stashed.txt'])
  write('local.txt', 'only here\n')
  git(path, ['add', 'local.txt'])
  git(path, ['commit', '-q', '-m', 'only here'])
  git(path, ['branch', 'kept'])
  write('untracked with spaces é.txt', 'untracked\n')
  write('-rf', 'a name like an option\n')
  mkdirSync(join(path, 'empty'))
  mkdirSync(join(path, 'vendor'))
  write('vendor/large', 'x'.repeat(1024 * 1024))
  linkSync(join(path, 'vendor/large'), join(path, 'vendor/same'))
  symlinkSync('nowhere', join(path, 'dangling'))
  chmodSync(join(path, 'local.txt'), 0o755)
}

export interface Content {
  /** Name, kind, mode and content of everything outside of Git's own folder. */
  readonly files: readonly string[]
  /** What Git has of its own: its head, each ref, and every object that can be reached from one. */
  readonly git: readonly string[]
}

/** All that is in a checkout, by a walk of its own. */
export const contentOf = (path: string): Content => ({
  files: walk(path),
  git: [
    git(path, ['rev-parse', 'HEAD']),
    git(path, ['symbolic-ref', '-q', 'HEAD']),
    ...git(path, [
      'for-each-ref',
      '--format=%(refname) %(objectname)',
      'refs/heads',
      'refs/stash',
      'refs/tags',
    ]).split('\n'),
    ...git(path, ['rev-list', '--objects', '--branches', '--tags', 'HEAD', ...stashesOf(path)])
      .split('\n')
      .toSorted(),
  ],
})

const stashesOf = (path: string): readonly string[] =>
  git(path, ['for-each-ref', '--format=%(refname)', 'refs/stash']) === '' ? [] : ['refs/stash']

function walk(folder: string, below = ''): readonly string[] {
  return readdirSync(join(folder, below))
    .toSorted()
    .flatMap((name) => {
      const path = join(below, name)
      if (path === '.git') return []
      const stat = lstatSync(join(folder, path))
      const entry = `${path} ${stat.mode.toString(8)}`
      if (stat.isDirectory()) return [entry, ...walk(folder, path)]
      if (stat.isSymbolicLink()) return [`${entry} -> ${readlinkSync(join(folder, path))}`]
      return [`${entry} ${stat.size} ${readFileSync(join(folder, path)).toString('base64').slice(0, 200)}`]
    })
}
