import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { Refusal } from '#/console/refusal.ts'
import { sha256Of } from '#/release/manifest.ts'

export const LIST = 'backup.json'
/** The records: a copy of the SQLite file, or the dump of a PostgreSQL database. */
export const DATABASE = 'home/gateway.sqlite'
export const DUMP = 'home/gateway.records'

/** What cannot be made again. `home` is FLEET_HOME, `machine` the root of the machine. */
// By their names: what an editor leaves beside them is none of it.
export const HOME_FILES = ['app.key', 'gateway.id', 'ca/root.{crt,key}', 'ssh/id_ed25519'] as const
/** Those of the home that every gateway has; its application key may come from the environment. */
export const NEEDED_FILES = ['gateway.id', 'ca/root.crt', 'ca/root.key', 'ssh/id_ed25519'] as const
export const MACHINE_FILES = [
  // Peers know the hub by its key; the pinned host key of the gateway's own Node is this machine's.
  'etc/wireguard/fleet.key',
  'etc/wireguard/fleet.conf',
  'etc/ssh/ssh_host_{dsa,ecdsa,ed25519,rsa}_key',
  'etc/ssh/ssh_host_{dsa,ecdsa,ed25519,rsa}_key.pub',
  'etc/fleet/gateway.env',
] as const

const list = z.strictObject({
  product: z.literal('fleet'),
  format: z.literal(1),
  version: z.string(),
  created_at: z.string(),
  gateway_id: z.string(),
  node: z.strictObject({
    name: z.string(),
    public_ssh_host: z.string().nullable(),
    public_ssh_port: z.number().nullable(),
    wireguard_ip: z.string().nullable(),
  }),
  files: z.array(
    z.strictObject({
      path: z.string().regex(/^(home|machine)\/(?!.*\.\.)[A-Za-z0-9._/-]+$/, 'must lie inside the backup'),
      sha256: z.string(),
    }),
  ),
})

/** What a backup says of itself. */
export type BackupList = z.output<typeof list>

/** Every file below a folder with its digest, sorted. */
export async function listFiles(folder: string): Promise<BackupList['files']> {
  const paths = globSync('{home,machine}/**/*', { cwd: folder, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
  return Promise.all(
    paths.toSorted().map(async (path) => ({ path, sha256: await sha256Of(join(folder, path)) })),
  )
}

/** Reads an unpacked backup and compares every file with its digest. Throws Refusal. */
export async function readBackup(folder: string): Promise<BackupList> {
  const parsed = list.safeParse(parse(join(folder, LIST)))
  if (!parsed.success) throw new Refusal('The file is not a backup of a Fleet gateway.')
  const found = new Map((await listFiles(folder)).map(({ path, sha256 }) => [path, sha256]))
  const wrong = parsed.data.files.find(({ path, sha256 }) => found.get(path) !== sha256)
  if (wrong) throw new Refusal(`The backup is damaged: the digest of ${wrong.path} does not match.`)
  if (!found.has(DATABASE) && !found.has(DUMP)) throw new Refusal('The backup contains no database.')
  return parsed.data
}

function parse(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return undefined
  }
}
