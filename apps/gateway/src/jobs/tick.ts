import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Which release ran its jobs last, and when. */
export interface Tick {
  readonly version: string
  readonly at: Date
}

const place = (home: string): string => join(home, 'tick.json')

/** Notes that the jobs of this process have run. It need not survive a power cut. */
export function noteTick(home: string, { version, at }: Tick): void {
  writeFileSync(`${place(home)}.new`, JSON.stringify({ version, at: at.toISOString() }), { mode: 0o600 })
  renameSync(`${place(home)}.new`, place(home))
}

export function findTick(home: string): Tick | undefined {
  try {
    const { version, at } = JSON.parse(readFileSync(place(home), 'utf8')) as Record<'version' | 'at', string> // Written by noteTick alone.
    return { version, at: new Date(at) }
  } catch {
    return undefined
  }
}
