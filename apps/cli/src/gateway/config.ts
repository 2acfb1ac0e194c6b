import { chmod, mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { ClientError } from '#/exit.ts'
import { checkedName, checkedPin, checkedUrl, type Profile } from './profile.ts'

/** The client's own configuration: one file that its owner alone can read. */
export interface Config {
  readonly active: string | undefined
  readonly gateways: readonly Profile[]
}

const EMPTY: Config = { active: undefined, gateways: [] }

/** Reads the file. Absent means empty; throws `gateway.config_not_private` or `gateway.config_invalid`. */
export async function readConfig(path: string): Promise<Config> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) =>
    error.code === 'ENOENT' ? undefined : Promise.reject(invalid(path, error.message)),
  )
  if (!found) return EMPTY
  if (process.platform !== 'win32' && (found.mode & 0o077) !== 0) {
    throw new ClientError(
      'gateway.config_not_private',
      `Others can read or write ${path}, which says whom to trust.`,
      { next: `chmod 600 ${path}` },
    )
  }
  return parseConfig(path, await readFile(path, 'utf8'))
}

/**
 * Changes the file under its lock: reads it anew, lets `change` see what stands there now, and replaces it by rename.
 * `change` may throw to leave everything as it was.
 */
export async function updateConfig(path: string, change: (config: Config) => Config): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const lock = `${path}.lock`
  // The new content is written into the lock file itself, so that taking the lock and replacing the file cannot come apart.
  const file = await open(lock, 'wx', 0o600).catch((error: NodeJS.ErrnoException) =>
    Promise.reject(cannotLock(lock, error)),
  )
  try {
    const next = change(await readConfig(path))
    await file.writeFile(`${JSON.stringify({ version: 1, ...next }, null, 2)}\n`)
    await file.sync()
    await chmod(lock, 0o600)
    await rename(lock, path)
  } catch (error) {
    await rm(lock, { force: true })
    throw error
  } finally {
    await file.close()
  }
}

function cannotLock(lock: string, error: NodeJS.ErrnoException): ClientError {
  if (error.code === 'EEXIST')
    return new ClientError(
      'gateway.ca_profile_update_failed',
      'Another fleet command is changing the profiles.',
      { next: `Repeat the command. If none runs, remove ${lock}` },
    )
  return new ClientError(
    'gateway.ca_profile_update_failed',
    `The profiles cannot be written: ${error.message}`,
  )
}

function parseConfig(path: string, text: string): Config {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw invalid(path, 'it is no JSON')
  }
  if (!isRecord(value) || value['version'] !== 1 || !Array.isArray(value['gateways']))
    throw invalid(path, 'it is no list of gateways of version 1')
  const gateways = value['gateways'].map((entry: unknown) => parseProfile(path, entry))
  if (new Set(gateways.map(({ name }) => name)).size < gateways.length)
    throw invalid(path, 'it holds a name twice')
  const active = value['active']
  return { active: typeof active === 'string' ? active : undefined, gateways }
}

function parseProfile(path: string, entry: unknown): Profile {
  const text = (name: string): string => {
    const value = isRecord(entry) ? entry[name] : undefined
    if (typeof value !== 'string') throw invalid(path, `a gateway has no ${name}`)
    return value
  }
  try {
    return {
      name: checkedName(text('name')),
      url: checkedUrl(text('url')),
      pin: checkedPin(text('pin')),
      ca: text('ca'),
    }
  } catch (error) {
    if (error instanceof ClientError && error.code === 'gateway.config_invalid') throw error
    throw invalid(path, error instanceof Error ? error.message : 'a gateway is not valid')
  }
}

const invalid = (path: string, why: string): ClientError =>
  new ClientError('gateway.config_invalid', `${path} cannot be used: ${why}.`, {
    next: 'Mend it, or move it away and add the gateways again.',
  })

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
