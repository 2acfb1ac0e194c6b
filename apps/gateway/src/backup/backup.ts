import {
  chmodSync,
  copyFileSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import type { NodeRecord } from '@fleet/fleet'
import { type Secret, systemClock } from '@fleet/kernel'
import { placeFile } from '@fleet/pki'
import { run } from '@fleet/shell'
import { requireRoot } from '#/console/as-gateway.ts'
import { fullDisk } from '#/console/full-disk.ts'
import { requireWords } from '#/console/misuse.ts'
import { takeConsole } from '#/console/one-at-a-time.ts'
import { underActivity } from '#/console/perform.ts'
import { PLACES } from '#/console/places.ts'
import { must } from '#/console/programs.ts'
import { Refusal } from '#/console/refusal.ts'
import { type InSession, inSessionOf } from '#/console/session.ts'
import { recordsPlace } from '#/console/settings-file.ts'
import { Report } from '#/console/report.ts'
import { undoneOnSignal } from '#/console/undone-on-signal.ts'
import { callerOf } from '#/install/first-node.ts'
import type { InstalledRelease } from '#/release/installed-release.ts'
import { type RecordsPlace, snapshotDatabase, snapshotEnding } from '#/upgrade/snapshot.ts'
import {
  type BackupList,
  DATABASE,
  DUMP,
  HOME_FILES,
  LIST,
  listFiles,
  MACHINE_FILES,
  NEEDED_FILES,
  readBackup,
} from './contents.ts'
import { passphraseFrom } from './passphrase.ts'
import { sealFile } from './sealed-file.ts'

const TAR_SECONDS = 3600

/** `fleet-gateway backup FILE`: everything of this gateway that cannot be made again, in one file, while it runs. */
export async function backup(words: readonly string[], release: InstalledRelease): Promise<number> {
  const { positionals, values } = parseArgs({
    args: [...words],
    allowPositionals: true,
    options: { 'passphrase-file': { type: 'string' } },
  })
  requireWords(positionals, 1)
  const [file = ''] = positionals
  requireRoot()
  const passphrase = passphraseFrom(values['passphrase-file'])
  const report = new Report(systemClock)
  const target = resolve(file)
  await writeBackup(target, passphrase, report, installedSource(release))
  return 0
}

/** The gateway that is saved. */
export interface BackupSource {
  readonly version: string
  readonly records: RecordsPlace
  /** Folder that the paths of its machine begin at. */
  readonly root: string
  /** Folder of the machine's own disk in which the backup is made: its keys are nowhere else in plain text. */
  readonly workshop: string
  /** Keeps other console commands out. */
  takeConsole(): Disposable
  /** With the rights of the gateway process. */
  readonly inSession: InSession
}

const installedSource = (release: InstalledRelease): BackupSource => ({
  version: release.manifest.version,
  records: recordsPlace(),
  root: '/',
  workshop: dirname(PLACES.home),
  takeConsole,
  inSession: inSessionOf(release),
})

/** Writes one file, complete or not at all, and leaves nothing beside it. Throws Refusal. */
export async function writeBackup(
  target: string,
  passphrase: Secret | undefined,
  report: Report,
  source: BackupSource,
): Promise<void> {
  try {
    using _console = source.takeConsole()
    requirePlace(target)
    using work = workFiles(target, source.workshop)
    using _undone = undoneOnSignal(() => work[Symbol.dispose]())
    await report.step('records', () => gather(work.folder, source))
    await report.step('archive', () => pack(work, target, passphrase))
  } catch (error) {
    const places = [dirname(target), source.records.home, source.workshop]
    throw fullDisk(error, places, 'The backup was not written, and nothing of it is left') ?? error
  }
  report.line(`${target} contains a backup of this gateway.`)
  if (!passphrase)
    report.line(
      'It is not encrypted: whoever can read it controls the fleet. Keep it private, or use --passphrase-file.',
    )
}

const WORK = '.fleet-backup-'

function requirePlace(target: string): void {
  const place = dirname(target)
  if (!existsSync(place)) throw new Refusal(`${place} does not exist.`)
  if (existsSync(target) && !statSync(target).isFile()) throw new Refusal(`${target} is not a file.`)
}

interface WorkFiles extends Disposable {
  /** Of root alone, on the machine. */
  readonly folder: string
  /** The whole file, before it gets its name. */
  readonly beside: string
}

/**
 * What there is for as long as a backup is made. What one that was killed left, keys among it, goes: no other one runs now.
 */
function workFiles(target: string, workshop: string): WorkFiles {
  const place = dirname(target)
  for (const at of [place, workshop])
    for (const name of readdirSync(at).filter((one) => one.startsWith(WORK)))
      rmSync(join(at, name), { recursive: true, force: true })
  const folder = mkdtempSync(join(workshop, WORK))
  const beside = join(place, basename(folder) + WHOLE)
  return {
    folder,
    beside,
    [Symbol.dispose]: () => {
      for (const path of [folder, beside]) rmSync(path, { recursive: true, force: true })
    },
  }
}

/** The folder may lie beside the target. */
const WHOLE = '.whole'

async function gather(folder: string, source: BackupSource): Promise<void> {
  const { home, url } = source.records
  copyAll(home, join(folder, 'home'), HOME_FILES)
  requireKeys(folder, home)
  copyAll(source.root, join(folder, 'machine'), MACHINE_FILES)
  const node = await takeRecords(source, join(folder, url === undefined ? DATABASE : DUMP))
  const about: BackupList = {
    product: 'fleet',
    format: 1,
    version: source.version,
    created_at: systemClock.now().toISOString(),
    gateway_id: readFileSync(join(home, 'gateway.id'), 'utf8').trim(),
    node: {
      name: node.name,
      public_ssh_host: node.public_ssh_host,
      public_ssh_port: node.public_ssh_port,
      wireguard_ip: node.wireguard_ip,
    },
    files: await listFiles(folder),
  }
  writeFileSync(join(folder, LIST), `${JSON.stringify(about, undefined, 1)}\n`)
  // A backup that its restoration would refuse is none.
  await readBackup(folder)
}

/** Whoever restores a backup without them has a gateway that no Node and no client knows. */
function requireKeys(folder: string, home: string): void {
  const missing = NEEDED_FILES.find((path) => !existsSync(join(folder, 'home', path)))
  if (missing === undefined) return
  throw new Refusal(
    `${join(home, missing)} is missing, so a backup of this gateway could not be restored.`,
    `Put home/${missing} of an earlier backup there.`,
  )
}

/** Copies the records while the gateway runs, under an Activity of its own Node, which it answers. */
async function takeRecords({ records, inSession }: BackupSource, target: string): Promise<NodeRecord> {
  const snapshot = join(records.home, `.backup${snapshotEnding(records)}`)
  try {
    const node = await inSession(async (session) => {
      const gateway = await session.services.nodes.gateway()
      if (!gateway)
        throw new Refusal('This gateway does not have its own active Node yet.', 'fleet-gateway install')
      await underActivity(session, {
        command: 'gateway:backup',
        caller: callerOf(gateway),
        run: async (call) => {
          call.note.target(gateway.id)
          await snapshotDatabase(records, snapshot)
        },
      })
      return gateway
    })
    copyFileSync(snapshot, target)
    return node
  } finally {
    rmSync(snapshot, { force: true })
  }
}

function copyAll(root: string, target: string, patterns: readonly string[]): void {
  for (const path of globSync([...patterns], { cwd: root })) {
    mkdirSync(dirname(join(target, path)), { recursive: true, mode: 0o700 })
    copyFileSync(join(root, path), join(target, path))
  }
}

/** Whole or not at all, and readable for root alone from its first byte on. What is sealed leaves the folder only so. */
async function pack(
  { folder, beside }: WorkFiles,
  target: string,
  passphrase: Secret | undefined,
): Promise<void> {
  const archive = join(folder, 'archive')
  const parts = [LIST, 'home', 'machine'].filter((name) => existsSync(join(folder, name)))
  await must(run('tar', '-czf', archive, '--owner=0', '--group=0', '-C', folder, ...parts), {
    timeoutSeconds: TAR_SECONDS,
  })
  chmodSync(archive, 0o600)
  if (passphrase) await sealFile(archive, beside, passphrase)
  // A copy has the mode of what is copied from its beginning.
  else copyFileSync(archive, beside)
  placeFile(beside, target)
}
