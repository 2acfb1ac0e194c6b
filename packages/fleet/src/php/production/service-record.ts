import { posix } from 'node:path'
import { SOCKETS, suffixOf } from '#/php/pool.ts'

/** PHP of one production Instance: a process manager of its Unix user, with a pool for each application directory. */
export interface ProductionService {
  readonly instance: { readonly id: number; readonly name: string }
  /** Unix user of the Instance, and its home. */
  readonly user: string
  readonly home: string
  /** `8.2` */
  readonly version: string
  /** Repository-relative application directory; empty for the repository root. */
  readonly defaultDirectory: string
  /** The other application directories that a Route serves. */
  readonly otherDirectories: readonly string[]
  /** False before the first deployment, when there is no `current`. */
  readonly isDeployed: boolean
}

export interface ProductionPool {
  readonly name: string
  /** Absolute. */
  readonly socket: string
  /** Absolute: below `current`, before the first deployment below `releases/initial` (RTX-129). */
  readonly directory: string
  /** `local.conf` tunes this one alone (RTX-126). */
  readonly isDefault: boolean
}

/** Of the socket of an application directory: `/run/php/shop-live.sock`, or with the suffix of another directory (RTX-125). */
export const productionSocket = (
  { user, defaultDirectory }: Pick<ProductionService, 'user' | 'defaultDirectory'>,
  directory: string,
): string =>
  posix.join(SOCKETS, `${user}${directory === defaultDirectory ? '' : `.${suffixOf(directory)}`}.sock`)

/** The pools of a service, the default one first (RTX-124). */
export function productionPools(service: ProductionService): readonly ProductionPool[] {
  const { home, defaultDirectory, isDeployed } = service
  const release = posix.join(home, isDeployed ? 'current' : 'releases/initial')
  const others = [...new Set(service.otherDirectories)]
    .filter((directory) => directory !== defaultDirectory)
    .toSorted()
  return [defaultDirectory, ...others].map((directory) => ({
    name: poolName(service, directory),
    socket: productionSocket(service, directory),
    directory: posix.join(release, directory),
    isDefault: directory === defaultDirectory,
  }))
}

const poolName = (
  { user, defaultDirectory }: Pick<ProductionService, 'user' | 'defaultDirectory'>,
  directory: string,
): string => `fleet-${user}${directory === defaultDirectory ? '' : `-${suffixOf(directory)}`}`

/** The service without the pools of these names. Undefined without its first one, which it always has. */
export function withoutPools(
  service: ProductionService,
  names: readonly string[],
): ProductionService | undefined {
  const { defaultDirectory, otherDirectories } = service
  const isKept = (directory: string): boolean => !names.includes(poolName(service, directory))
  return isKept(defaultDirectory)
    ? { ...service, otherDirectories: otherDirectories.filter(isKept) }
    : undefined
}

/** Of its systemd service (RTX-124). */
export const productionUnit = ({ user, version }: Pick<ProductionService, 'user' | 'version'>): string =>
  `fleet-${user}-php${version}-fpm.service`

/** Where its files are (RTX-126). */
export const productionPaths = ({ user }: Pick<ProductionService, 'user'>) => {
  const home = `/etc/fleet/php-fpm/${user}`
  return {
    home,
    /** The operator's own tuning, written once. */
    local: `${home}/local.conf`,
    generated: `${home}/generated`,
    configuration: `${home}/generated/php-fpm.conf`,
    master: `${home}/generated/master.ini`,
    /** Answers what the opcode cache is like, and resets it. */
    cache: `${home}/generated/cache.php`,
  } as const
}
