import { cpSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { systemIds } from '@fleet/kernel'
import { placeFile, replaceFile } from '@fleet/pki'
import { run } from '@fleet/shell'
import { canOpenSaved } from '@fleet/store'
import { secureHome } from '#/console/as-gateway.ts'
import { GATEWAY_USER, PLACES } from '#/console/places.ts'
import { must } from '#/console/programs.ts'
import { Refusal } from '#/console/refusal.ts'
import { type BackupList, DATABASE, DUMP, readBackup } from './contents.ts'
import { passphraseFrom } from './passphrase.ts'
import { type Restoration, restoreDump } from './room.ts'
import { isGzip, isSealed, openFile } from './sealed-file.ts'
import { keepOwnSettings } from './settings.ts'

const TAR_SECONDS = 3600
/** Folders beside the home in which backups are unpacked. A restoration that was killed leaves its own. */
const UNPACKED = '.fleet-restore-'

/** A backup that was unpacked and compared with its digests. Disposing of it removes what was unpacked. */
export interface OpenBackup extends Disposable {
  readonly folder: string
  readonly about: BackupList
}

/** Opens a backup beside FLEET_HOME, with the settings that this machine already has. Throws Refusal for a wrong passphrase and for a damaged file. */
export async function openBackup(file: string, passphraseFile: string | undefined): Promise<OpenBackup> {
  await requireBackup(file)
  for (const left of globSync(`${UNPACKED}*`, { cwd: dirname(PLACES.home) }))
    rmSync(join(dirname(PLACES.home), left), { recursive: true, force: true })
  const folder = mkdtempSync(join(dirname(PLACES.home), UNPACKED))
  const dispose = (): void => rmSync(folder, { recursive: true, force: true })
  try {
    const archive = await opened(file, passphraseFile, folder)
    await must(run('tar', '-xzf', archive, '--no-same-owner', '-C', folder), {
      timeoutSeconds: TAR_SECONDS,
    }).catch((cause: unknown) => {
      const said = cause instanceof Error ? cause.message : String(cause)
      throw new Refusal(`${file} could not be unpacked: ${said}`, undefined, cause)
    })
    const about = await readBackup(folder)
    keepOwnSettings(folder)
    return { folder, about, [Symbol.dispose]: dispose }
  } catch (error) {
    dispose()
    throw error
  }
}

async function requireBackup(file: string): Promise<void> {
  if (!existsSync(file)) throw new Refusal(`${file} does not exist.`)
  if (statSync(file).isFile() && ((await isSealed(file)) || (await isGzip(file)))) return
  throw new Refusal(
    `${file} is not a backup of a gateway.`,
    './install --restore FILE, with the file that `fleet-gateway backup FILE` wrote',
  )
}

async function opened(file: string, passphraseFile: string | undefined, folder: string): Promise<string> {
  if (!(await isSealed(file))) return file
  const passphrase = passphraseFrom(passphraseFile)
  if (!passphrase) throw new Refusal('The backup is encrypted.', '--passphrase-file FILE')
  const archive = join(folder, 'archive')
  await openFile(file, archive, passphrase)
  return archive
}

/**
 * Refuses, before anything is placed, the backup of a version whose records this one cannot open: the machine would keep the
 * records of the one and the release of the other.
 */
export async function requireReadable(
  { folder, about }: Pick<OpenBackup, 'folder' | 'about'>,
  version: string,
): Promise<void> {
  const file = join(folder, DATABASE)
  if (await canOpenSaved(existsSync(file) ? { file } : { dump: join(folder, DUMP) })) return
  throw new Refusal(
    `The backup was made by version ${about.version}, and version ${version} cannot read its records.`,
    `Restore it with the release of version ${about.version} or a newer one: ./install --restore FILE`,
  )
}

/** Names the gateway whose restoration has begun here and is not at its end, and that restoration. */
const MARK = join(PLACES.base, 'restoring')

interface Mark {
  readonly gatewayId: string
  readonly id: string
}

function findMark(): Mark | undefined {
  if (!existsSync(MARK)) return undefined
  // An earlier release wrote no id.
  const [gatewayId = '', id = systemIds.uuid()] = readFileSync(MARK, 'utf8').split(' ')
  return { gatewayId, id }
}

/** The id of the restoration of this gateway: that of the one which has begun here, or a new one. */
export function restorationId({ gateway_id: gatewayId }: BackupList): string {
  const mark = findMark()
  return mark?.gatewayId === gatewayId ? mark.id : systemIds.uuid()
}

/**
 * Refuses a machine that is the gateway of another fleet, or of this one with newer records. True when an earlier
 * restoration of the same gateway got as far as its records.
 */
export function requireBlank({ gateway_id: id }: BackupList): boolean {
  const place = join(PLACES.home, 'gateway.id')
  if (!existsSync(place)) return false
  const own = readFileSync(place, 'utf8').trim()
  if (own === id && findMark()?.gatewayId === id) return true
  const what = own === id ? 'this gateway, with records that may be newer' : 'another gateway'
  throw new Refusal(`${PLACES.home} already contains ${what}.`, 'Restore the backup on a blank machine.')
}

/** Whether a restoration has begun here and is not at its end. */
export const isRestoring = (): boolean => existsSync(MARK)

export const endRestoration = (): void => rmSync(MARK, { force: true })

/**
 * Puts the records and the machine's identity in place. FLEET_HOME comes last and by one rename: while it is not there the
 * restoration has not happened and may be repeated.
 */
export async function placeBackup({ about }: OpenBackup, restoration: Restoration): Promise<string> {
  const { folder, id } = restoration
  replaceFile(MARK, `${about.gateway_id} ${id}`, 0o600)
  const machine = join(folder, 'machine')
  for (const path of globSync('**/*', { cwd: machine, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  )) {
    const from = join(path.parentPath, path.name)
    const to = from.slice(machine.length)
    const mode = /ssh_host_.*\.pub$/.test(to) ? '0644' : '0600'
    // A name of its own beside the target, renamed: an interrupted restoration leaves no half key.
    const beside = `${to}.${systemIds.uuid()}`
    await must(run('install', '-D', '-m', mode, '-o', 'root', '-g', 'root', '--', from, beside))
    placeFile(beside, to)
  }
  await must(run('systemctl', 'restart', 'ssh'))
  const home = `${PLACES.home}.restoring`
  rmSync(home, { recursive: true, force: true })
  cpSync(join(folder, 'home'), home, { recursive: true })
  // Before the restoration counts as done.
  await restoreDump(restoration)
  rmSync(join(home, basename(DUMP)), { force: true })
  await must(run('chown', '-R', `${GATEWAY_USER}:${GATEWAY_USER}`, '--', home))
  await must(run('chmod', '-R', 'u=rwX,go=', '--', home))
  await secureHome(home)
  await must(run('sync', '-f', '--', home))
  rmSync(PLACES.home, { recursive: true, force: true })
  placeFile(home, PLACES.home)
  return `${about.node.name} of ${about.created_at}`
}
