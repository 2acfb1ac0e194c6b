import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { CodedError } from '@fleet/kernel'
import { localPool, localSession, nodeRecord } from '@fleet/testing'
import type { NodeSession } from '#/nodes/api.ts'
import { makeSourceAccess, type ServedCheckout, type SourceAccess } from '#/source-access/api.ts'

/** Somebody who owns nothing stands in for the web server. */
export const ACCOUNT = 'nobody'

/** Why these tests cannot run here; false when they can. */
export const MISSING: string | false =
  spawnSync('setfacl', ['--version']).status === 0 ? false : 'setfacl is not installed'
export const IS_ROOT = process.getuid?.() === 0

export interface World extends Disposable {
  readonly access: SourceAccess
  readonly session: NodeSession
  readonly checkout: string
  served: readonly ServedCheckout[]
  write(path: string, text?: string, mode?: number): string
  at(path: string): string
  /** Entries of the access control list of a path, of the account alone: access, then default. */
  entryOf(path: string): string
  /** Everything that `getfacl` says of the checkout and what is above it. */
  permissions(): string
  /** Whether the account can read the file. */
  reads(path: string): boolean
  apply(): ReturnType<SourceAccess['apply']>
  /** Another program on the path of the scripts, as shell. */
  install(name: string, source: string): void
}

const output = (program: string, ...words: readonly string[]): string =>
  spawnSync(program, words, { encoding: 'utf8' }).stdout

/** A checkout below a home that is closed to others, with an application that has a public folder. */
export function startWorld({ account = ACCOUNT }: { readonly account?: string } = {}): World {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'fleet access-')))
  const checkout = join(home, 'apps/shop/default')
  const at = (path: string): string => join(checkout, path)
  const write: World['write'] = (path, text = path, mode = 0o644) => {
    mkdirSync(dirname(at(path)), { recursive: true })
    writeFileSync(at(path), text)
    chmodSync(at(path), mode)
    return at(path)
  }
  for (const path of ['.env', '.git/HEAD', 'artisan', 'app/Models/User.php', 'vendor/a/b.php']) write(path)
  for (const path of ['public/index.php', 'public/css/app.css', 'storage/logs/laravel.log']) write(path)
  write('storage/app/public/photo.jpg')
  const pool = localPool({ home, env: { PATH: `${join(home, 'fake')}:/usr/sbin:/usr/bin:/sbin:/bin` } })
  const session = localSession(pool, { node: nodeRecord({ user: 'root', user_home: home }) })
  const world: World = {
    served: [{ checkoutPath: checkout, webRoots: ['public'] }],
    checkout,
    session,
    at,
    write,
    access: makeSourceAccess({
      store: NO_STORE,
      served: { servedOn: async () => world.served },
      webServerAccount: account,
    }),
    entryOf: (path) =>
      output('getfacl', '-p', '-c', '-E', at(path))
        .split('\n')
        .flatMap((line) => /^(?:default:)?user:nobody:(.*)$/.exec(line)?.[1] ?? [])
        .join(' '),
    permissions: () => output('getfacl', '-R', '-p', home),
    reads: (path) => spawnSync('runuser', ['-u', ACCOUNT, '--', 'cat', at(path)]).status === 0,
    apply: () => world.access.apply(session, checkout),
    install: (name, source) => {
      mkdirSync(join(home, 'fake'), { recursive: true })
      writeFileSync(join(home, 'fake', name), `#!/bin/sh\n${source}\n`, { mode: 0o755 })
    },
    [Symbol.dispose]: () => rmSync(home, { recursive: true, force: true }),
  }
  return world
}

const NO_STORE = {
  locks: {
    acquire: () => Promise.reject(new Error('no lock is wanted here')),
    holderOf: async () => undefined,
  },
}

/** What was refused: reason and path. */
export const refusal = (error: unknown): string => {
  const { code, details } = error as CodedError // A test that gets another error compares its text and fails.
  return [code, details?.['step'], details?.['reason'], details?.['path']].filter(Boolean).join(' ')
}
