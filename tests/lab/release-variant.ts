import { createHash } from 'node:crypto'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Manifest } from '@fleet/gateway/release'
import type { Host } from '../../lab/index.ts'
import { builtRelease } from './install.ts'

/** A gateway that spoils its records and ends before it listens. */
const SPOILED = `import { execFileSync as spoil } from 'node:child_process'
import { DatabaseSync as Spoiled } from 'node:sqlite'
if (process.argv.includes('gateway-process')) {
  const statements = 'delete from activities; delete from nodes'
  const url = process.env.FLEET_DATABASE_URL
  if (url === undefined) {
    const database = new Spoiled('/var/lib/fleet/gateway.sqlite')
    database.exec(statements)
    database.close()
  } else spoil('psql', ['-v', 'ON_ERROR_STOP=1', '-c', statements, url])
  process.exit(1)
}
`

/** Puts the release of this checkout on a host under another version, working or not. Answers its folder there. */
export async function carryVariant(
  host: Host,
  version: string,
  { isSpoiled = false }: { readonly isSpoiled?: boolean } = {},
): Promise<string> {
  const folder = join('/root', version)
  const place = join(host.root, folder)
  cpSync(await builtRelease(), place, { recursive: true, verbatimSymlinks: true })
  const library = join(place, 'lib/gateway.js')
  const text = readFileSync(library, 'utf8')
  const changed = `${isSpoiled ? SPOILED : ''}${text}`
  writeFileSync(library, changed)
  const list = join(place, 'manifest.json')
  const manifest = JSON.parse(readFileSync(list, 'utf8')) as Manifest // Written by the release tool.
  const sha256 = createHash('sha256').update(changed).digest('hex')
  const files = manifest.files.map((file) => (file.path === 'lib/gateway.js' ? { ...file, sha256 } : file))
  writeFileSync(list, JSON.stringify({ ...manifest, version, files }))
  return folder
}
