import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { buildOnce } from './base-tree.ts'
import { adoptDisk, copyDisk } from './disk.ts'
import { adoptHostKey, keepHostKey } from './keys.ts'
import { contentKey } from './packages.ts'
import { CACHE_FOLDER, type HostPlace } from './place.ts'

const PREFIX = 'host-'
const LAB_KEY = 'lab-key.pub'
/** Those of four labs, twice; each is some 500 MB. */
const MOST = 8
/** What was set up expires: certificates and leases begin to be renewed after a day. */
const OLDEST_MILLISECONDS = 12 * 60 * 60 * 1000

/** What a kept host is distinguished by. */
export interface KeptHost {
  /** Names what was done to it. */
  readonly key: string
  /** Stands in its settings and certificates, so that only a host with the same one can begin with it. */
  readonly address: string
  readonly trees: readonly string[]
}

/** The folder of a kept host, whether it exists or not. */
export const keptPath = ({ key, address, trees }: KeptHost): string =>
  join(CACHE_FOLDER, `${PREFIX}${contentKey([key, address, ...trees.map((tree) => basename(tree))])}`)

export const isKept = (path: string): boolean =>
  existsSync(path) && Date.now() - statSync(path).mtimeMs < OLDEST_MILLISECONDS

/** Keeps the disk and the identity of a host that is off. */
export async function keepHost(host: HostPlace, labKey: string, path: string): Promise<void> {
  rmSync(path, { recursive: true, force: true })
  await buildOnce(path, async (building) => {
    mkdirSync(building, { recursive: true, mode: 0o700 })
    await copyDisk(host, building)
    keepHostKey(host, building)
    writeFileSync(join(building, LAB_KEY), labKey)
  })
  dropOldest(path)
}

/** Gives a new host the disk and the identity of a kept one; its disk is mounted by `mount` in between. */
export async function adoptHost(
  host: HostPlace,
  address: string,
  path: string,
  mount: () => Promise<void>,
): Promise<{ readonly labKey: string }> {
  await adoptDisk(host, path)
  await mount()
  adoptHostKey(host, address, path)
  return { labKey: readFileSync(join(path, LAB_KEY), 'utf8') }
}

/** Lets the key of this lab in where that of the lab was let in for which the disk was made; others stay. */
export function exchangeKey(host: HostPlace, before: string, now: string): void {
  const file = join(host.root, 'root/.ssh/authorized_keys')
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll(before, now))
}

function dropOldest(own: string): void {
  const others = readdirSync(CACHE_FOLDER)
    .filter((name) => name.startsWith(PREFIX) && !name.includes('.building-') && name !== basename(own))
    .map((name) => ({ path: join(CACHE_FOLDER, name), made: statSync(join(CACHE_FOLDER, name)).mtimeMs }))
    .toSorted((a, b) => b.made - a.made)
  for (const { path } of others.slice(MOST - 1)) rmSync(path, { recursive: true, force: true })
}
