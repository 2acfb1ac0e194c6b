import { chmodSync, copyFileSync, cpSync, existsSync, mkdirSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import type { Host } from '../../lab/index.ts'
import { ensureRelease } from '../../tools/release/once.ts'

const ROOT = resolve(import.meta.dirname, '../..')

/** What `./install` is given besides the address of its host. */
export interface InstallWish {
  readonly name?: string
  readonly range?: string
  readonly suffix?: string
  /** Release tree; that of this checkout when absent. */
  readonly release?: string
}

/** A release of this checkout, built once for its content. */
export const builtRelease = (version?: string): Promise<string> => ensureRelease(ROOT, version)

/** Puts a release tree on a host and answers its path there. */
export async function carryRelease(host: Host, release: string): Promise<string> {
  const folder = join('/root', basename(release))
  const target = join(host.root, folder)
  mkdirSync(join(host.root, 'root'), { recursive: true })
  if (!existsSync(target)) cpSync(release, target, { recursive: true, verbatimSymlinks: true })
  // A host that loses its power keeps what was carried there.
  await host.run(['sync', '-f', folder])
  return folder
}

/** Puts the executable of Nodes where it belongs: 120 MB less to carry over SSH. */
export async function carryExecutable(host: Host): Promise<void> {
  const folder = join(host.root, 'opt/fleet/bin')
  mkdirSync(folder, { recursive: true })
  copyFileSync(join(await builtRelease(), 'bin/fleet'), join(folder, 'fleet'))
  chmodSync(join(folder, 'fleet'), 0o755)
}

/** The words of the one command. */
export const installWords = (
  host: Host,
  folder: string,
  wish: InstallWish = {},
): readonly [string, ...string[]] => [
  join(folder, 'install'),
  '--public-host',
  host.address,
  ...(wish.name === undefined ? [] : ['--name', wish.name]),
  ...(wish.range === undefined ? [] : ['--range', wish.range]),
  ...(wish.suffix === undefined ? [] : ['--suffix', wish.suffix]),
]

const INSTALL_SECONDS = 240

/** Makes a blank host the gateway of a fleet, by the same command as a person. Answers what it said. Throws LabFault when it fails. */
export async function installGateway(host: Host, wish: InstallWish = {}): Promise<string> {
  const folder = await carryRelease(host, wish.release ?? (await builtRelease()))
  return host.run(installWords(host, folder, wish), { timeoutSeconds: INSTALL_SECONDS })
}
