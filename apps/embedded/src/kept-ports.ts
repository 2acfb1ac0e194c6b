import { readFileSync } from 'node:fs'
import { replaceFile } from '@fleet/pki'
import * as z from 'zod'
import { StartRefused } from './refusal.ts'

const kept = z.object({
  ssh: z.int().optional(),
  git: z.int().optional(),
  websocket: z.int().optional(),
  web: z.int().optional(),
})
type Service = keyof z.output<typeof kept>

const TRIES = 200

export interface KeptPort {
  /** Holds the choices of earlier runs. */
  readonly file: string
  readonly service: Service
  /** Where the search for a free port begins. */
  readonly first: number
  /** Whether the service may go to another port when the kept one is taken: nothing outside this process names it. */
  readonly mayMove: boolean
}

/** The port that this fleet's own addresses name is taken by another program. */
export class KeptPortTaken extends StartRefused {
  override readonly name = 'KeptPortTaken'
}

/**
 * Opens a service on the port it had in earlier runs; at its first run on the first free one, which is then kept.
 * `open` rejects with EADDRINUSE for a taken port. Throws KeptPortTaken for a service that may not move.
 */
export async function openKept<T>(
  { file, service, first, mayMove }: KeptPort,
  open: (port: number) => Promise<T>,
): Promise<{ readonly port: number; readonly opened: T }> {
  const ports = readKept(file)
  const before = ports[service]
  const candidates = Array.from({ length: TRIES }, (_, index) => first + index)
  for (const port of before === undefined ? candidates : mayMove ? [before, ...candidates] : [before]) {
    const opened = await unlessTaken(() => open(port))
    if (opened === undefined) continue
    if (port !== before) replaceFile(file, `${JSON.stringify({ ...ports, [service]: port })}\n`, 0o600)
    return { port, opened }
  }
  if (before !== undefined && !mayMove) throw new KeptPortTaken(`another program is using port ${before}`)
  throw new StartRefused(`No port is free for ${service} from ${first} to ${first + TRIES - 1}.`)
}

async function unlessTaken<T>(open: () => Promise<T>): Promise<T | undefined> {
  try {
    return await open()
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') return undefined
    throw error
  }
}

function readKept(file: string): z.output<typeof kept> {
  try {
    return kept.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    // Missing at the first start; a broken file only costs the earlier choice.
    return {}
  }
}
