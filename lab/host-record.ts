import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RoleName } from '@fleet/contract'
import { hostPlace, type Place } from './place.ts'

/** What a later process must know about a host; everything else is asked from the kernel. */
export interface HostRecord {
  readonly name: string
  /** Last byte of its addresses. */
  readonly number: number
  readonly roles: readonly RoleName[]
  readonly packages: readonly string[]
  /** Folders of its overlay, the topmost first. */
  readonly trees: readonly string[]
  readonly clockOffsetSeconds: number
}

const fileOf = (place: Place, name: string): string => join(hostPlace(place, name).folder, 'host.json')

export function writeRecord(place: Place, record: HostRecord): void {
  const file = fileOf(place, record.name)
  mkdirSync(hostPlace(place, record.name).folder, { recursive: true })
  writeFileSync(`${file}.new`, JSON.stringify(record, undefined, 2))
  renameSync(`${file}.new`, file)
}

/** The record; undefined for a host that does not exist or whose making was cut short before it had one. */
export function findRecord(place: Place, name: string): HostRecord | undefined {
  try {
    return JSON.parse(readFileSync(fileOf(place, name), 'utf8')) as HostRecord // Written by writeRecord, renamed when whole.
  } catch {
    return undefined
  }
}

/** Names of all hosts that have a folder, by name. */
export function recordedNames(place: Place): readonly string[] {
  try {
    return readdirSync(join(place.folder, 'hosts')).toSorted()
  } catch {
    return []
  }
}
