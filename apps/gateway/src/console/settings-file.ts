import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { parseEnv } from 'node:util'
import { replaceFile } from '@fleet/pki'
import { type GatewayEnv, readEnv } from '#/env.ts'
import type { RecordsPlace } from '#/upgrade/snapshot.ts'
import { PLACES } from './places.ts'
import { Refusal } from './refusal.ts'

/** Environment of the gateway process as the unit passes it. Plain values only: both readers take them literally. */
export type SettingsFile = Readonly<Record<string, string>>

export function readSettingsFile(path: string = PLACES.settings): SettingsFile {
  if (!existsSync(path)) return {}
  const read = parseEnv(readFileSync(path, 'utf8'))
  return Object.fromEntries(
    Object.entries(read).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )
}

const PLAIN = /^[A-Za-z0-9._:/,@[\]+=-]*$/

/** Sets the given members and leaves every other line of the operator as it is. */
export function writeSettingsFile(changes: SettingsFile, path: string = PLACES.settings): void {
  const odd = Object.entries(changes).find(([, value]) => !PLAIN.test(value))
  if (odd) throw new Refusal(`${odd[0]} cannot contain ${odd[1]}`)
  mkdirSync(dirname(path), { recursive: true, mode: 0o755 })
  const text = existsSync(path) ? readFileSync(path, 'utf8') : HEAD
  // `asGateway` lets the gateway's own account read it.
  replaceFile(path, withSettings(text, changes), 0o600)
}

const HEAD = '# Settings of the Fleet gateway; docs/reference/settings.md names all of them.\n'

export function withSettings(text: string, changes: SettingsFile): string {
  const left = new Map(Object.entries(changes))
  const lines = text.split('\n').map((line) => {
    const name = /^([A-Z_]+)=/.exec(line)?.[1]
    const value = name === undefined ? undefined : left.get(name)
    if (name === undefined || value === undefined) return line
    left.delete(name)
    return `${name}=${value}`
  })
  while (lines.at(-1) === '') lines.pop()
  return `${[...lines, ...[...left].map(([name, value]) => `${name}=${value}`)].join('\n')}\n`
}

/** Settings of the installed gateway, with the defaults of what the file leaves out. */
export const installedEnv = (): GatewayEnv => readEnv(readSettingsFile())

/** Where the records of the installed gateway are. */
export function recordsPlace(): RecordsPlace {
  const { FLEET_HOME: home, FLEET_DATABASE_URL: url } = installedEnv()
  return { home, url }
}
