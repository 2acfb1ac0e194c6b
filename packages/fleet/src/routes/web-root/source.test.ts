import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { localPool, localSession, nodeRecord } from '@fleet/testing'
import { makeSourceAccess, type SourceAccess } from '#/source-access/api.ts'

/** Why tests over real permissions cannot run here; false when they can. */
export const MISSING: string | false =
  spawnSync('setfacl', ['--version']).status === 0 ? false : 'setfacl is not installed'

/** A release on this machine, and what a web server may read of it; `nobody` stands in for that. */
export interface Source extends Disposable {
  readonly open: SourceAccess['open']
  readonly write: (path: string) => void
  readonly at: (path: string) => string
  /** Entries of the access control list of a path, of the account alone: access, then default. */
  readonly entryOf: (path: string) => string
}

export function startSource(): Source {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'fleet-release-')))
  const at = (path: string): string => join(home, 'releases/one', path)
  const write = (path: string): void => {
    mkdirSync(dirname(at(path)), { recursive: true })
    writeFileSync(at(path), path)
  }
  for (const path of ['.env', 'artisan', 'public/index.php']) write(path)
  const pool = localPool({ home, env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' } })
  const session = localSession(pool, { node: nodeRecord({ user: 'root', user_home: home }) })
  const access = makeSourceAccess({
    store: NO_STORE,
    served: { servedOn: async () => [] },
    webServerAccount: 'nobody',
  })
  return {
    at,
    write,
    open: (_session, { webRoots }) => access.open(session, { checkoutPath: at('.'), webRoots, home }),
    entryOf: (path) =>
      spawnSync('getfacl', ['-p', '-c', '-E', at(path)], { encoding: 'utf8' })
        .stdout.split('\n')
        .flatMap((line) => /^(?:default:)?user:nobody:(.*)$/.exec(line)?.[1] ?? [])
        .join(' '),
    [Symbol.dispose]: () => rmSync(home, { recursive: true, force: true }),
  }
}

const NO_STORE = {
  locks: {
    acquire: () => Promise.reject(new Error('no lock is wanted here')),
    holderOf: async () => undefined,
  },
}
