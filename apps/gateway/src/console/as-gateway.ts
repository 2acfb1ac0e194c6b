import { chmodSync, chownSync, statSync } from 'node:fs'
import { run } from '@fleet/shell'
import { GATEWAY_USER, PLACES } from './places.ts'
import { must } from './programs.ts'
import { Refusal } from './refusal.ts'

/** Ids of the system user of the gateway process. */
export interface GatewayIds {
  readonly uid: number
  readonly gid: number
}

export async function gatewayIds(): Promise<GatewayIds> {
  const [uid = '', gid = ''] = await Promise.all(
    ['-u', '-g'].map(async (flag) => (await must(run('id', flag, GATEWAY_USER))).trim()),
  )
  return { uid: Number(uid), gid: Number(gid) }
}

/**
 * Runs work with the rights of the gateway process, so that every file it makes in FLEET_HOME is one that the process can
 * open: SQLite's side files too. The root that started the console comes back after it.
 */
export async function asGateway<T>(work: () => Promise<T>): Promise<T> {
  requireRoot()
  const { uid, gid } = await gatewayIds()
  await secureHome()
  secureSettings(gid)
  process.setegid?.(gid)
  process.seteuid?.(uid)
  try {
    return await work()
  } finally {
    process.seteuid?.(0)
    process.setegid?.(0)
  }
}

const HOME_MODE = 0o1770

/**
 * The gateway process makes files in its home and removes its own; the home is root's and sticky, so that it cannot put
 * others in the place of those that root runs below it, such as the private DNS. Where an earlier release made it the
 * process's own, it is changed.
 */
export async function secureHome(home: string = PLACES.home): Promise<void> {
  const stats = statSync(home, { throwIfNoEntry: false })
  if (stats?.uid === 0 && (stats.mode & 0o7777) === HOME_MODE) return
  const mode = HOME_MODE.toString(8)
  await must(run('install', '-d', '-m', mode, '-o', 'root', '-g', GATEWAY_USER, '--', home))
}

const SETTINGS_MODE = 0o640

/**
 * The settings may contain the password of a database: no account but root and the gateway's own reads them. Where an earlier
 * release let everybody, it is changed.
 */
export function secureSettings(gid: number, path: string = PLACES.settings): void {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (!stats || (stats.gid === gid && (stats.mode & 0o7777) === SETTINGS_MODE)) return
  // The narrower step comes first.
  chmodSync(path, SETTINGS_MODE & 0o600)
  chownSync(path, stats.uid, gid)
  chmodSync(path, SETTINGS_MODE)
}

export function requireRoot(): void {
  if (process.getuid?.() !== 0)
    throw new Refusal('This command changes the machine and needs root.', 'Run it again with sudo.')
}
