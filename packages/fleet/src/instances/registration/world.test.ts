import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { type InputOf, LITERALS } from '@fleet/contract'
import { fakeCall } from '@fleet/testing'
import { git } from '@fleet/testing/git-server'
import { testSeed } from '@fleet/testing/sample'
import type { InstancesFleet } from '@fleet/testing/instances-fleet'

export type Input = Partial<InputOf<'instance:register'>> & { readonly source_path: string }

export const callOf = ({ node }: InstancesFleet) =>
  fakeCall({ caller: { id: node.id, name: node.name, address: node.wireguard_ip ?? '', isGateway: false } })

export const register = (fleet: InstancesFleet, input: Input, domain = fleet.domain) =>
  domain.handlers['instance:register']({ call: callOf(fleet), input })

/** A clone below the home of the managed user, with work of every kind that a clone from elsewhere would not have. */
export function cloned(fleet: InstancesFleet, folder: string, name = 'app'): string {
  mkdirSync(folder, { recursive: true })
  const path = join(folder, name)
  // From its folder: the server answers from this process, which waits.
  git(folder, ['clone', '-q', fleet.git.pathOf('app'), path])
  git(path, ['remote', 'set-url', 'origin', fleet.git.urlOf('app')])
  writeFileSync(join(path, '.env'), 'SECRET=mine\n', { mode: 0o600 })
  writeFileSync(join(path, 'stashed.txt'), 'stashed\n')
  git(path, ['add', '.'])
  git(path, ['stash', 'push', '-q', '--', 'stashed.txt'])
  writeFileSync(join(path, 'local.txt'), 'only here\n')
  git(path, ['add', 'local.txt'])
  git(path, ['commit', '-q', '-m', 'only here'])
  git(path, ['branch', 'kept'])
  writeFileSync(join(path, 'untracked with spaces é.txt'), 'untracked\n')
  mkdirSync(join(path, 'empty'))
  symlinkSync('nowhere', join(path, 'dangling'))
  chmodSync(join(path, 'local.txt'), 0o755)
  return path
}

const REWRITTEN = [LITERALS.gitReceiptFolder, 'info/exclude', 'index', 'worktrees']

/** Every name below a folder with its kind, mode and content; not what Fleet or Git rewrite for another place. */
export function walk(folder: string, below = ''): readonly string[] {
  return readdirSync(join(folder, below)).flatMap((name) => {
    const path = join(below, name)
    if (REWRITTEN.some((other) => path.startsWith(`.git/${other}`))) return []
    const stat = lstatSync(join(folder, path))
    const entry = `${path} ${stat.mode.toString(8)}`
    if (stat.isDirectory()) return [entry, ...walk(folder, path)]
    if (stat.isSymbolicLink()) return [`${entry} -> ${readlinkSync(join(folder, path))}`]
    return [`${entry} ${readFileSync(join(folder, path)).toString('base64')}`]
  })
}

export const receiptsIn = (path: string): readonly string[] =>
  readdirSync(join(path, '.git')).filter((name) => name === LITERALS.gitReceiptFolder)

export const elsewhere = (name = 'fleet-register-'): string => realpathSync(mkdtempSync(`/var/tmp/${name}`))

/** Whether two folders are on different file systems of this machine. */
const isFar = (): boolean => {
  const folder = elsewhere()
  try {
    return statSync(folder).dev !== statSync(realpathSync(process.env['TMPDIR'] ?? '/tmp')).dev
  } finally {
    rmSync(folder, { recursive: true })
  }
}
/** Why a test that needs two file systems does not run. */
export const skip = isFar() ? false : 'temporary folders are on one file system'

/** So many of them, spread evenly, beginning where the seed says. */
export const aPart = <T>(all: readonly T[], count: number): readonly T[] => {
  const step = Math.max(1, Math.floor(all.length / count))
  return all.filter((_, index) => index % step === testSeed() % step).slice(0, count)
}

/** 1 to the number. */
export const upTo = (number: number): readonly number[] =>
  Array.from({ length: number }, (_, index) => index + 1)

/** Programs of scripts, one of which ends everything instead of doing its work. */
export interface DeadlyPrograms {
  /** Value of PATH. */
  readonly path: string
  /** How many were started since the last `dieAt`. */
  count(): number
  /** The one of this number, from 1; none for 0. */
  dieAt(number: number): void
}

export function deadlyPrograms(folder: string): DeadlyPrograms {
  const bin = join(folder, 'deadly')
  const [count, at] = [join(folder, 'count'), join(folder, 'at')]
  mkdirSync(bin)
  for (const name of ['mv', 'rm', 'rmdir', 'mkdir', 'ln', 'cp', 'sync']) {
    const program = `#!/bin/sh
number=$(($(cat '${count}') + 1))
echo "$number" >'${count}'
[ "$number" != "$(cat '${at}')" ] || kill -KILL 0
PATH=/usr/bin:/bin exec ${name} "$@"
`
    writeFileSync(join(bin, name), program, { mode: 0o755 })
  }
  const dieAt = (number: number): void => {
    writeFileSync(count, '0')
    writeFileSync(at, `${number}`)
  }
  dieAt(0)
  return {
    path: `${bin}:${process.env['PATH'] ?? ''}`,
    count: () => Number(readFileSync(count, 'utf8')),
    dieAt,
  }
}
