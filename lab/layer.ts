import { chmodSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { buildOnce, type Tree } from './base-tree.ts'
import { removeLock } from './container-traces.ts'
import { mountOverlay, unmount } from './mounts.ts'
import { resolverText } from './resolver.ts'
import { contentKey } from './packages.ts'
import { CACHE_FOLDER } from './place.ts'
import { program } from './program.ts'

const INSTALL_SECONDS = 900

/** The packages on top of the base tree, as one more layer of the overlay, installed once for each set of packages. */
export function ensureLayer(base: string, packages: readonly string[]): Promise<Tree> {
  const path = join(CACHE_FOLDER, `layer-${contentKey([basename(base), ...packages])}`)
  return buildOnce(path, (building) => install(base, packages, building))
}

async function install(base: string, packages: readonly string[], building: string): Promise<void> {
  const parts = { upper: join(building, 'upper'), work: join(building, 'work'), root: join(building, 'root') }
  for (const folder of Object.values(parts)) mkdirSync(folder, { recursive: true })
  await mountOverlay([base], parts)
  try {
    const policy = join(parts.root, 'usr/sbin/policy-rc.d')
    // invoke-rc.d asks it before it starts a service; nothing is booted here (Debian policy 9.3.3).
    writeFileSync(policy, '#!/bin/sh\nexit 101\n')
    chmodSync(policy, 0o755)
    writeFileSync(join(parts.root, 'etc/resolv.conf'), resolverText())
    await inTree(parts.root, ['apt-get', 'update', '-q'])
    await inTree(parts.root, ['apt-get', 'install', '-y', '-q', '--no-install-recommends', ...packages])
    await inTree(parts.root, ['apt-get', 'clean'])
    rmSync(policy)
  } finally {
    removeLock(parts.root)
    await unmount(parts.root)
  }
  hoist(building, parts.upper)
}

/** The upper folder becomes the layer itself. */
function hoist(building: string, upper: string): void {
  const aside = `${building}.upper`
  renameSync(upper, aside)
  rmSync(building, { recursive: true })
  renameSync(aside, building)
}

const inTree = (root: string, words: readonly string[]): Promise<string> =>
  program(
    [
      'systemd-nspawn',
      '-q',
      '-D',
      root,
      '--register=no',
      '--keep-unit',
      '--pipe',
      '--resolv-conf=off',
      '--timezone=off',
      '--setenv=DEBIAN_FRONTEND=noninteractive',
      ...words,
    ],
    { timeoutSeconds: INSTALL_SECONDS, env: { PATH: process.env['PATH'], SYSTEMD_SECCOMP: '0' } },
  )
