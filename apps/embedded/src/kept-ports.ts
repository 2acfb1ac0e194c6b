import { readFileSync } from 'node:fs'
import { replaceFile } from '@fleet/pki'
import * as z from 'zod'
import { StartRefused } from './refusal.ts'

const kept = z.object({ ssh: z.int().optional(), git: z.int().optional() })
type Service = keyof z.output<typeof kept>

const TRIES = 200

/**
 * Opens a service on the port it had in earlier runs, which stored addresses name; at its first run on the first free
 * port from `first` on, which is then kept. `open` rejects with EADDRINUSE for a taken one. Throws StartRefused when a
 * kept port is taken.
 */
export async function openKept<T>(
  file: string,
  service: Service,
  first: number,
  open: (port: number) => Promise<T>,
): Promise<{ readonly port: number; readonly opened: T }> {
  const ports = readKept(file)
  const before = ports[service]
  if (before !== undefined) return { port: before, opened: await reopen(service, before, open) }
  for (let port = first; port < first + TRIES; port += 1) {
    const opened = await unlessTaken(() => open(port))
    if (opened === undefined) continue
    replaceFile(file, `${JSON.stringify({ ...ports, [service]: port })}\n`, 0o600)
    return { port, opened }
  }
  throw new StartRefused(`No port is free for ${service} from ${first} to ${first + TRIES - 1}.`)
}

async function reopen<T>(service: Service, port: number, open: (port: number) => Promise<T>): Promise<T> {
  const opened = await unlessTaken(() => open(port))
  if (opened !== undefined) return opened
  throw new StartRefused(
    `Port ${port}, on which this fleet serves ${service}, is taken by another program.\n` +
      `See which one with: ss -ltnp 'sport = :${port}'`,
  )
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
