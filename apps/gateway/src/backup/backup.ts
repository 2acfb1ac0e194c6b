import {
  copyFileSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type Secret, systemClock } from '@fleet/kernel'
import { run } from '@fleet/shell'
import { asGateway, requireRoot } from '#/console/as-gateway.ts'
import { takeConsole } from '#/console/one-at-a-time.ts'
import { underActivity } from '#/console/perform.ts'
import { must } from '#/console/programs.ts'
import { Refusal } from '#/console/refusal.ts'
import { openSession } from '#/console/session.ts'
import { recordsPlace } from '#/console/settings-file.ts'
import { Told } from '#/console/told.ts'
import { callerOf } from '#/install/first-node.ts'
import type { InstalledRelease } from '#/release/installed-release.ts'
import { snapshotDatabase, snapshotEnding } from '#/upgrade/snapshot.ts'
import { type BackupList, DATABASE, DUMP, HOME_FILES, LIST, listFiles, MACHINE_FILES } from './contents.ts'
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
  const [file] = positionals
  if (file === undefined) throw new Refusal('usage: fleet-gateway backup FILE [--passphrase-file FILE]')
  requireRoot()
  using _console = takeConsole()
  const passphrase = passphraseFrom(values['passphrase-file'])
  const told = new Told(systemClock)
  const target = resolve(file)
  const folder = mkdtempSync(join(dirname(target), '.fleet-backup-'))
  try {
    await told.step('records', () => gather(folder, release))
    await told.step('archive', () => pack(folder, target, passphrase))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  told.line(`${target} contains a backup of this gateway.`)
  if (!passphrase)
    told.line(
      'It is not encrypted: whoever can read it controls the fleet. Keep it private, or use --passphrase-file.',
    )
  return 0
}

async function gather(folder: string, release: InstalledRelease): Promise<void> {
  const records = recordsPlace()
  const { home } = records
  copyAll(home, join(folder, 'home'), HOME_FILES)
  copyAll('/', join(folder, 'machine'), MACHINE_FILES)
  const snapshot = join(home, `.backup${snapshotEnding(records)}`)
  const node = await asGateway(async () => {
    await using session = await openSession(release)
    const gateway = await session.services.nodes.gateway()
    if (!gateway) throw new Refusal('This gateway does not have its own active Node yet.', './install')
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
  try {
    copyFileSync(snapshot, join(folder, records.url === undefined ? DATABASE : DUMP))
  } finally {
    rmSync(snapshot, { force: true })
  }
  const about: BackupList = {
    product: 'fleet',
    format: 1,
    version: release.manifest.version,
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
}

function copyAll(root: string, target: string, patterns: readonly string[]): void {
  for (const path of globSync([...patterns], { cwd: root })) {
    mkdirSync(dirname(join(target, path)), { recursive: true, mode: 0o700 })
    copyFileSync(join(root, path), join(target, path))
  }
}

/** Whole or not at all, and readable for root alone from its first byte on. */
async function pack(folder: string, target: string, passphrase: Secret | undefined): Promise<void> {
  const archive = join(folder, 'archive')
  const parts = [LIST, 'home', 'machine'].filter((name) => existsSync(join(folder, name)))
  await must(run('tar', '-czf', archive, '--owner=0', '--group=0', '-C', folder, ...parts), {
    timeoutSeconds: TAR_SECONDS,
  })
  const beside = `${archive}.whole`
  if (passphrase) await sealFile(archive, beside, passphrase)
  else renameSync(archive, beside)
  await using file = await open(beside, 'r+')
  await file.chmod(0o600)
  await file.sync()
  renameSync(beside, target)
}
