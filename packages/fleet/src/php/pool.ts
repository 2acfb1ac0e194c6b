import { createHash } from 'node:crypto'
import { posix } from 'node:path'
import { LITERALS } from '@fleet/contract'

/** One PHP pool of development: it runs the code of one application directory of an Instance (RTE-141). */
export interface Pool {
  /** Of the pool and of its socket: `orbit-app-instance-12`, or with the suffix of another directory (RTE-142). */
  readonly name: string
  readonly instance: PoolInstance
  /** `8.2`: of the service that runs it. */
  readonly version: string
  /** Absolute: the application directory, in which the code runs. */
  readonly directory: string
}

export interface PoolInstance {
  readonly id: number
  readonly name: string
}

/** An application directory of an Instance as the records have it. */
export interface PoolOwner {
  readonly instance: PoolInstance
  readonly version: string
  readonly checkoutPath: string
  /** Repository-relative application directory of the Instance; empty for the repository root. */
  readonly defaultDirectory: string
  /** The one that the pool serves; the default when absent. */
  readonly directory?: string
}

export function poolOf({
  instance: { id, name },
  version,
  checkoutPath,
  defaultDirectory,
  directory = defaultDirectory,
}: PoolOwner): Pool {
  const suffix = directory === defaultDirectory ? '' : `-${suffixOf(directory)}`
  return {
    name: `${LITERALS.phpPool}-${id}${suffix}`,
    instance: { id, name },
    version,
    directory: posix.join(checkoutPath, directory),
  }
}

const SUFFIX_CHARACTERS = 8

/** The same for the same relative path, and no text of the path itself. */
export const suffixOf = (directory: string): string =>
  createHash('sha256').update(directory).digest('hex').slice(0, SUFFIX_CHARACTERS)

/** Group that the web server of Debian runs as. */
export const WEB_SERVER = 'caddy'

/** Folder of the sockets of all process managers. */
export const SOCKETS = '/run/php'

/** Path of the socket, which the web server alone may use besides its owner. */
export const socketOf = ({ name }: Pick<Pool, 'name'>): string => `${SOCKETS}/${name}.sock`
