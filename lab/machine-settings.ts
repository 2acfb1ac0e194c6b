import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { STATE_FOLDER } from './place.ts'

/** What the hosts need of this machine's kernel, at the least. */
const NEEDED: Readonly<Record<string, number>> = {
  'net/ipv4/ip_forward': 1,
  // Every systemd takes a handful, all of them as the one root of the machine: the usual 128 last for 22 hosts.
  'fs/inotify/max_user_instances': 8192,
}

/** The machine's own settings from before the first lab. */
const BEFORE = join(STATE_FOLDER, 'settings.json')

/** Raises what is too low. The first lab notes what was there. */
export function raiseSettings(): void {
  const own = Object.fromEntries(Object.keys(NEEDED).map((name) => [name, read(name)]))
  if (before() === undefined) writeFileSync(BEFORE, JSON.stringify(own))
  for (const [name, least] of Object.entries(NEEDED)) if ((own[name] ?? 0) < least) write(name, least)
}

/** Gives the machine its settings back; for when no lab is left on it. */
export function restoreSettings(): void {
  for (const [name, value] of Object.entries(before() ?? {})) write(name, value)
  rmSync(BEFORE, { force: true })
}

function before(): Readonly<Record<string, number>> | undefined {
  try {
    return JSON.parse(readFileSync(BEFORE, 'utf8')) as Record<string, number> // Written by raiseSettings.
  } catch {
    return undefined
  }
}

const read = (name: string): number => Number(readFileSync(join('/proc/sys', name), 'utf8'))
const write = (name: string, value: number): void => writeFileSync(join('/proc/sys', name), String(value))
