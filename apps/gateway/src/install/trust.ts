import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { replaceFile } from '@fleet/pki'
import { run } from '@fleet/shell'
import { PLACES } from '#/console/places.ts'
import { must } from '#/console/programs.ts'

const UPDATE = '/usr/sbin/update-ca-certificates'

/** Puts the fleet's root certificate into this machine's own store, so that every program here takes the gateway for what it is. */
export async function trustRoot(home: string): Promise<string> {
  const root = readFileSync(join(home, 'ca', 'root.crt'), 'utf8')
  if (existsSync(PLACES.trusted) && readFileSync(PLACES.trusted, 'utf8') === root) return 'unchanged'
  if (!existsSync(UPDATE)) return 'left out: the package ca-certificates is not installed'
  replaceFile(PLACES.trusted, root, 0o644)
  await must(run(UPDATE))
  return ''
}

/** Profile of the command line of root on this machine, so that `fleet node:list` works at once. */
export async function storeProfile(name: string, origin: string, fingerprint: string): Promise<void> {
  await must(run(PLACES.executable, 'gateway:add', name, origin, '--fingerprint', fingerprint))
  await must(run(PLACES.executable, 'gateway:use', name))
}
