import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { replaceFile } from '@fleet/pki'
import { PLACES } from '#/console/places.ts'
import { readSettingsFile, withSettings } from '#/console/settings-file.ts'
import { type GatewayEnv, readEnv } from '#/env.ts'

/** Who the gateway is, not what its machine is like: those of the backup hold. */
const OF_THE_GATEWAY = new Set(['FLEET_HOME', 'FLEET_APP_DEV_DOMAIN', 'FLEET_LISTEN', 'APP_KEY'])

const placeIn = (folder: string): string => join(folder, 'machine', PLACES.settings)

/**
 * What a person has set on this machine, such as where its database is, holds over the settings of an unpacked backup: into that
 * one, so that they are placed as one file.
 */
export function keepOwnSettings(folder: string, path: string = PLACES.settings): void {
  const saved = placeIn(folder)
  if (!existsSync(saved) || !existsSync(path)) return
  replaceFile(saved, withSettings(readFileSync(saved, 'utf8'), ownOf(readFileSync(path, 'utf8'))), 0o600)
}

/** The settings that a restoration from this folder ends with. */
export const restoredEnv = (folder: string): GatewayEnv => readEnv(readSettingsFile(placeIn(folder)))

/** As they are written, quotes included. */
const ownOf = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    text
      .matchAll(/^([A-Z_]+)=(.*)$/gm)
      .map(([, name = '', value = '']) => [name, value] as const)
      .filter(([name]) => !OF_THE_GATEWAY.has(name)),
  )
