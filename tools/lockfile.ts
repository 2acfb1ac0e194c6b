// `npm run lock` completes package-lock.json after a package was added.
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Report } from './tree.ts'

interface Locked {
  readonly version?: string
  readonly resolved?: string
  readonly dev?: true
  readonly link?: true
  readonly optional?: true
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly os?: readonly string[]
  readonly cpu?: readonly string[]
  readonly libc?: readonly string[]
}

/** The part of package-lock.json that matters here; everything else stays as it is. */
export interface Lock {
  readonly packages: Readonly<Record<string, Locked>>
}

interface Missing {
  readonly name: string
  readonly version: string
  readonly dev: boolean
}

const FILE = 'package-lock.json'

/**
 * A program that is built for many platforms depends on each build as optional. A registry that lacks some lets
 * `npm install` leave them out of the lock, and `npm ci` then refuses the lock everywhere.
 */
export function lockfile(lock: Lock): Report {
  const missing = missingFrom(lock).map(
    ({ name }) => `${FILE}  lacks ${name}, so npm ci refuses it: npm run lock`,
  )
  const addresses = Object.entries(lock.packages)
    .filter(([, { resolved, link }]) => link !== true && resolved?.startsWith('http'))
    .map(([path]) => `${FILE}  names the address that ${path} came from: npm run lock`)
  return { seen: Object.keys(lock.packages).length, unit: 'packages', problems: [...missing, ...addresses] }
}

/** The lock with an entry for each missing platform and without addresses, in npm's own order. */
export function completed<L extends Lock>(lock: L): L {
  const filled = missingFrom(lock).map(({ name, version, dev }): [string, Locked] => [
    `node_modules/${name}`,
    entry(version, platformOf(name), dev),
  ])
  const kept = Object.entries(lock.packages).map(([path, { resolved, ...rest }]): [string, Locked] => [
    path,
    resolved === undefined || resolved.startsWith('http') ? rest : { resolved, ...rest },
  ])
  const packages = Object.fromEntries([...kept, ...filled].toSorted(([a], [b]) => a.localeCompare(b, 'en')))
  return { ...lock, packages }
}

interface Platform {
  readonly os: string
  readonly cpu: string
  readonly libc: string | undefined
}

/** Members in npm's own order, so that npm has nothing to rewrite. */
const entry = (version: string, { os, cpu, libc }: Platform, dev: boolean): Locked => ({
  version,
  cpu: [cpu],
  ...(dev ? { dev: true } : {}),
  ...(libc === undefined ? {} : { libc: [libc] }),
  optional: true,
  os: [os],
})

/** A build that is not locked is found neither below the package that names it nor beside it. */
function missingFrom({ packages }: Lock): readonly Missing[] {
  const found = new Map<string, Missing>()
  for (const [path, { optionalDependencies = {}, dev }] of Object.entries(packages)) {
    for (const [name, version] of Object.entries(optionalDependencies)) {
      const isLocked = `${path}/node_modules/${name}` in packages || `node_modules/${name}` in packages
      if (!isLocked) found.set(name, { name, version, dev: dev === true })
    }
  }
  return [...found.values()]
}

/** Operating system, processor and C library as such packages carry them at the end of their names. */
export function platformOf(name: string): Platform {
  const match =
    /(android|darwin|freebsd|linux|openharmony|win32)-(arm64|arm|x64|ia32|ppc64|riscv64|s390x)(?:-(gnu|musl))?/.exec(
      name,
    )
  const [, os, cpu, libc] = match ?? []
  if (os === undefined || cpu === undefined)
    throw new Error(`${name} is missing from ${FILE}, and its name tells no platform`)
  return { os, cpu, libc: libc === 'gnu' ? 'glibc' : libc }
}

export const readLock = (root: string): Lock => JSON.parse(readFileSync(join(root, FILE), 'utf8')) as Lock // npm itself wrote it.

if (import.meta.main) {
  const root = resolve(import.meta.dirname, '..')
  const text = `${JSON.stringify(completed(readLock(root)), null, 2)}\n`
  const isChanged = text !== readFileSync(join(root, FILE), 'utf8')
  if (isChanged) writeFileSync(join(root, FILE), text)
  console.log(isChanged ? `wrote ${FILE}` : `${FILE} is complete`)
}
