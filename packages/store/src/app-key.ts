import { randomBytes } from 'node:crypto'
import {
  closeSync,
  fstatSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { Secret } from '@fleet/kernel'

const PREFIX = 'base64:'
const KEY_BYTES = 32
const KEY_TEXT = /^base64:[A-Za-z0-9+/]{43}=$/

/** The text is not `base64:` and 32 bytes. Never shows the text. */
export class AppKeyInvalid extends Error {
  override readonly name = 'AppKeyInvalid'
}

/** The key file can't be used; the message says what to do. */
export class AppKeyFileRefused extends Error {
  override readonly name = 'AppKeyFileRefused'
}

export interface AppKeyOptions {
  /** `APP_KEY`; wins over the file when set and not empty (GW-066). */
  readonly fromEnvironment?: string | undefined
  /** The fallback, mode 0600. */
  readonly file: string
  /** False when a database already exists: a new key could not read it, so a missing file is refused. True by default. */
  readonly mayMake?: boolean
}

/** The application key from the environment, else from the file, which the first start makes. Throws AppKeyInvalid or AppKeyFileRefused. */
export function readOrMakeAppKey({ fromEnvironment, file, mayMake = true }: AppKeyOptions): Secret {
  if (fromEnvironment) return checked(fromEnvironment, 'APP_KEY')
  const stored = readKeyFile(file)
  if (stored !== undefined) return checked(stored, file)
  if (!mayMake) {
    throw new AppKeyFileRefused(
      `${file} is missing, and the database cannot be decrypted without it: restore it or set APP_KEY`,
    )
  }
  makeKeyFile(file)
  // Read back: of two processes starting at once, one made the file and both must use it.
  return checked(readKeyFile(file) ?? '', file)
}

/** A fresh key in its text form. */
export const newAppKey = (): Secret => new Secret(PREFIX + randomBytes(KEY_BYTES).toString('base64'))

/** The 32 bytes of a key in text form. Throws AppKeyInvalid. */
export const appKeyBytes = (key: Secret): Buffer =>
  Buffer.from(checked(key.reveal(), 'the application key').reveal().slice(PREFIX.length), 'base64')

const checked = (text: string, source: string): Secret => {
  if (KEY_TEXT.test(text)) return new Secret(text)
  throw new AppKeyInvalid(`${source} must be "${PREFIX}" followed by ${KEY_BYTES} bytes in base64`)
}

/** Undefined when there is no file. Refuses a file that others may read: its key must count as known. */
const readKeyFile = (file: string): string | undefined => {
  let descriptor: number
  try {
    descriptor = openSync(file, 'r')
  } catch (error) {
    if (isMissing(error)) return undefined
    throw new AppKeyFileRefused(`${file} cannot be read`, { cause: error })
  }
  try {
    const mode = fstatSync(descriptor).mode & 0o777
    if ((mode & 0o077) === 0) return readFileSync(descriptor, 'utf8').trim()
    throw new AppKeyFileRefused(
      `${file} has mode 0${mode.toString(8)}, so other users can read it: chmod 600 ${file}`,
    )
  } finally {
    closeSync(descriptor)
  }
}

// Written beside its place and linked there: a reader sees the whole key or no file, and an existing file is never replaced.
const makeKeyFile = (file: string): void => {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const temporary = `${file}.${randomBytes(6).toString('hex')}`
  const descriptor = openSync(temporary, 'wx', 0o600)
  try {
    writeFileSync(descriptor, `${newAppKey().reveal()}\n`)
    fsyncSync(descriptor)
    linkSync(temporary, file)
  } catch (error) {
    if (!isExisting(error)) throw error
  } finally {
    closeSync(descriptor)
    rmSync(temporary, { force: true })
  }
}

const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code
const isMissing = (error: unknown): boolean => hasCode(error, 'ENOENT')
const isExisting = (error: unknown): boolean => hasCode(error, 'EEXIST')
