import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { ClientError } from '#/exit.ts'
import { shellWord } from '#/shell-word.ts'

/** The embedded fleet as its own file describes it. */
export interface EmbeddedFleet {
  readonly baseUrl: string
  /** PEM text of its root certificate. */
  readonly ca: string
  readonly nodes: ReadonlyArray<{ readonly name: string; readonly address: string }>
}

/** With a home that is not that of a checkout, a start without it would be of another fleet. */
const startOf = (fleetHome: string): string => {
  const home = basename(fleetHome) === '.fleet' ? '' : `FLEET_HOME=${shellWord(fleetHome)} `
  return `Start it in another terminal: ${home}npm start`
}

/** Reads `embedded.json` below FLEET_HOME; undefined when no embedded fleet was ever started there. Throws `gateway.unreachable` when it has stopped. */
export async function findEmbedded(
  fleetHome: string,
  isRunning: (pid: number) => boolean = isAlive,
): Promise<EmbeddedFleet | undefined> {
  const path = join(fleetHome, 'embedded.json')
  const text = await readFile(path, 'utf8').catch(() => undefined)
  if (text === undefined) return undefined
  const file = parsed(text)
  if (!file)
    throw new ClientError('gateway.config_invalid', `${path} was not written by the embedded fleet.`, {
      next: startOf(fleetHome),
    })
  if (!isRunning(file.pid))
    throw new ClientError('gateway.unreachable', `The embedded fleet of ${fleetHome} is not running.`, {
      next: startOf(fleetHome),
    })
  const ca = await readFile(file.ca_file, 'utf8').catch((cause: unknown) => {
    throw new ClientError(
      'gateway.ca_unavailable',
      `The root certificate of the embedded fleet cannot be read: ${file.ca_file}`,
      { cause },
    )
  })
  return { baseUrl: file.base_url, ca, nodes: file.nodes }
}

interface EmbeddedFile {
  readonly base_url: string
  readonly ca_file: string
  readonly nodes: ReadonlyArray<{ readonly name: string; readonly address: string }>
  readonly pid: number
}

function parsed(text: string): EmbeddedFile | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isEmbeddedFile(value) ? value : undefined
  } catch {
    return undefined
  }
}

const isEmbeddedFile = (value: unknown): value is EmbeddedFile =>
  isRecord(value) &&
  typeof value['base_url'] === 'string' &&
  typeof value['ca_file'] === 'string' &&
  typeof value['pid'] === 'number' &&
  Array.isArray(value['nodes']) &&
  value['nodes'].every(isNode)

const isNode = (value: unknown): boolean =>
  isRecord(value) && typeof value['name'] === 'string' && typeof value['address'] === 'string'

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // A process of another user cannot be signalled, but it runs.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
