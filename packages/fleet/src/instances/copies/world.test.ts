import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { dirname, join } from 'node:path'
import { type InputOf, type InstanceData, LITERALS } from '@fleet/contract'
import type { InstancesDomain } from '#/instances/make.ts'
import { type InstancesFleet, startInstancesFleet } from '@fleet/testing/instances-fleet'

/** A fleet whose Instance `default` has all that Git ignores: dependencies, caches, logs and an environment file. */
export interface CopyWorld extends AsyncDisposable {
  readonly fleet: InstancesFleet
  readonly source: InstanceData
  /** A path in the checkout of an Instance. */
  at(instance: string, path?: string): string
  put(instance: string, path: string, text: string): void
  copy(given?: Partial<InputOf<'instance:create'>>, by?: InstancesDomain): Promise<InstanceData>
  /** The file system shares blocks from now on: `cp` does as if, after these lines of a shell. */
  sharesBlocks(first?: string): void
  /** `cp` runs these lines of a shell first. */
  beforeCopies(text: string): void
}

export const IGNORED =
  'node_modules\n/storage/logs/*\n!/storage/logs/.gitignore\n/public/storage\n/data\n/.next\n'

export async function startCopyWorld(): Promise<CopyWorld> {
  const bin = mkdtempSync(join(tmpdir(), 'fleet-cp-'))
  const fleet = await startInstancesFleet({ env: { PATH: `${bin}:${process.env['PATH'] ?? ''}` } })
  fleet.git.commit('app', 'main', {
    '.gitignore': IGNORED,
    'a.txt': 'first\n',
    'storage/logs/.gitignore': '*\n!.gitignore\n',
  })
  await fleet.store.db.updateTable('nodes').set({ user: userInfo().username }).execute()
  writeFileSync(join(bin, 'sudo'), '#!/bin/sh\nwhile [ "${1#-}" != "$1" ]; do shift; done\nexec "$@"\n', {
    mode: 0o755,
  })
  const { data: source } = await fleet.create({ name: 'default' })
  const at: CopyWorld['at'] = (instance, path = '') => join(fleet.apps, 'app', instance, path)
  const put: CopyWorld['put'] = (instance, path, text) => {
    mkdirSync(dirname(at(instance, path)), { recursive: true })
    writeFileSync(at(instance, path), text)
  }
  const shim = (text: string): void => {
    writeFileSync(join(bin, 'cp'), `#!/bin/sh\n${text}\nexec /bin/cp "$@"\n`)
    chmodSync(join(bin, 'cp'), 0o755)
  }
  fill(at, put)
  return {
    fleet,
    source,
    at,
    put,
    copy: async (given, by) => (await fleet.create({ source_instance_id: source.id, ...given }, by)).data,
    sharesBlocks: (first = '') =>
      shim(`${first}\nfor word; do shift; [ "$word" = --reflink=always ] || set -- "$@" "$word"; done`),
    beforeCopies: shim,
    [Symbol.asyncDispose]: async () => {
      await fleet[Symbol.asyncDispose]()
      rmSync(bin, { recursive: true, force: true })
    },
  }
}

function fill(at: CopyWorld['at'], put: CopyWorld['put']): void {
  put('default', 'node_modules/x/index.js', 'installed\n')
  linkSync(at('default', 'node_modules/x/index.js'), at('default', 'node_modules/x/linked.js'))
  chmodSync(at('default', 'node_modules/x/index.js'), 0o755)
  put('default', 'node_modules/x/né w\nline', 'odd name\n')
  mkdirSync(at('default', 'node_modules/.bin'))
  symlinkSync('../x/index.js', at('default', 'node_modules/.bin/x'))
  put('default', 'node_modules/.cache/y', 'cached\n')
  put('default', '.next/cache/z', 'cached\n')
  put('default', '.next/build', 'built\n')
  put('default', 'storage/logs/app.log', 'logged\n')
  put('default', 'data/kept', 'kept\n')
  mkdirSync(at('default', 'public'))
  symlinkSync(at('default', 'data'), at('default', 'public/storage'))
  put('default', '.env', `DATA=${at('default', 'data')}/x\nOTHER=${at('default')}-2/x\n`)
  chmodSync(at('default', '.env'), 0o600)
}

/** Every name below a folder with its kind, mode and content, without Git's own. */
export function walk(folder: string, below = ''): readonly string[] {
  return readdirSync(join(folder, below)).flatMap((name) => {
    const path = join(below, name)
    if (path === '.git') return []
    const stat = lstatSync(join(folder, path))
    const entry = `${path} ${stat.mode.toString(8)}`
    if (stat.isDirectory()) return [entry, ...walk(folder, path)]
    if (stat.isSymbolicLink()) return [`${entry} -> ${readlinkSync(join(folder, path))}`]
    return [`${entry} ${readFileSync(join(folder, path)).toString('base64')}`]
  })
}

export const textIn = (path: string): string | undefined =>
  existsSync(path) ? readFileSync(path, 'utf8') : undefined

export const receiptsIn = (path: string): string => join(path, '.git', LITERALS.gitReceiptFolder)
