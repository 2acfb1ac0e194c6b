import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { replaceFile } from '@fleet/pki'
import * as z from 'zod'

const announcement = z.object({
  base_url: z.string(),
  ca_file: z.string(),
  /** Where the live feed is, and the public key of its application. */
  websocket: z.object({ url: z.string(), key: z.string() }),
  nodes: z.array(z.object({ id: z.int(), name: z.string(), address: z.string() })),
  pid: z.int(),
})

/** What a client on this machine needs to find the running fleet; `embedded.json` in its home. */
export type Announcement = z.output<typeof announcement>

const FILE = 'embedded.json'

/** Mode 0600, put in place whole: a client sees the file of a ready fleet or none. */
export function announce(home: string, facts: Announcement): void {
  replaceFile(join(home, FILE), `${JSON.stringify(facts, undefined, 2)}\n`, 0o600)
}

export function withdraw(home: string): void {
  rmSync(join(home, FILE), { force: true })
}

/** Undefined when no fleet announced itself here, or in a form that this version does not know. */
export function announcementIn(home: string): Announcement | undefined {
  try {
    return announcement.safeParse(JSON.parse(readFileSync(join(home, FILE), 'utf8'))).data
  } catch {
    return undefined
  }
}
