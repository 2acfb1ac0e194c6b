import { mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { ClientError, EXIT } from '#/exit.ts'
import { checkedName, checkedPin, checkedUrl, type Profile } from './profile.ts'

/** The client's own configuration: one file that its owner alone can read. */
export interface Config {
  readonly active: string | undefined
  readonly gateways: readonly Profile[]
}

const EMPTY: Config = { active: undefined, gateways: [] }

/** Reads the file. Absent means empty; throws `gateway.config_not_private` or `gateway.config_invalid`. */
export async function readConfig(path: string): Promise<Config> {
  const text = await readPrivate(path)
  return text === undefined ? EMPTY : parseConfig(path, text)
}

/** The text of a file that nobody else can read or write. Looked at and read through one handle, so that it cannot be swapped in between. */
async function readPrivate(path: string): Promise<string | undefined> {
  try {
    await using file = await open(path)
    const { mode, uid } = await file.stat()
    const isOwn = process.getuid === undefined || uid === process.getuid() || uid === 0
    if (process.platform !== 'win32' && (!isOwn || (mode & 0o077) !== 0)) throw notPrivate(path)
    return await file.readFile('utf8')
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined
    throw error instanceof ClientError ? error : invalid(path, messageOf(error))
  }
}

const notPrivate = (path: string): ClientError =>
  new ClientError(
    'gateway.config_not_private',
    `Other users can read or write ${path}, which decides which gateways are trusted.`,
    { exit: EXIT.usage, next: `chmod 600 ${path}` },
  )

/**
 * Changes the file under its lock: reads it again, passes its current content to `change`, and replaces it by rename.
 * If `change` throws, nothing changes.
 */
export async function updateConfig(path: string, change: (config: Config) => Config): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 }).catch((error: unknown) => {
    throw unwritable(error)
  })
  const lock = `${path}.lock`
  // The new content is written into the lock file itself, so that taking the lock and replacing the file cannot come apart.
  const file = await open(lock, 'wx', 0o600).catch((error: unknown) => {
    throw cannotLock(lock, error)
  })
  try {
    const next = change(await readConfig(path))
    await file.writeFile(`${JSON.stringify({ version: 1, ...next }, null, 2)}\n`)
    await file.sync()
    await rename(lock, path)
  } catch (error) {
    await rm(lock, { force: true })
    throw systemCode(error) === undefined || error instanceof ClientError ? error : unwritable(error)
  } finally {
    await file.close()
  }
}

function cannotLock(lock: string, error: unknown): ClientError {
  if (systemCode(error) !== 'EEXIST') return unwritable(error)
  return new ClientError(
    'gateway.ca_profile_update_failed',
    'Another fleet command is changing the profiles.',
    {
      exit: EXIT.refused,
      next: `Run the command again. If no other fleet command is running, remove ${lock}`,
      cause: error,
    },
  )
}

const unwritable = (error: unknown): ClientError =>
  new ClientError('gateway.ca_profile_update_failed', `The profiles cannot be written: ${messageOf(error)}`, {
    exit: EXIT.refused,
    cause: error,
  })

const systemCode = (error: unknown): unknown =>
  error instanceof Error && 'code' in error ? error.code : undefined
const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

function parseConfig(path: string, text: string): Config {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw invalid(path, 'it is no JSON')
  }
  if (!isRecord(value) || value['version'] !== 1 || !Array.isArray(value['gateways']))
    throw invalid(path, 'it is not a list of gateways in version 1')
  const gateways = value['gateways'].map((entry: unknown) => parseProfile(path, entry))
  if (new Set(gateways.map(({ name }) => name)).size < gateways.length)
    throw invalid(path, 'it contains a name twice')
  const active = value['active']
  return { active: typeof active === 'string' ? active : undefined, gateways }
}

function parseProfile(path: string, entry: unknown): Profile {
  const text = (name: string): string => {
    const value = isRecord(entry) ? entry[name] : undefined
    if (typeof value !== 'string') throw invalid(path, `a gateway lacks ${name}`)
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
  new ClientError('gateway.config_invalid', `${path} is not valid: ${why}.`, {
    next: 'Fix the file, or move it away and add the gateways again.',
  })

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
