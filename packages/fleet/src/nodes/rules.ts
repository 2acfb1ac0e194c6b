import type { ErrorCode } from '@fleet/contract'
import type { NodeRecord } from '#/nodes/record.ts'

/** Places of the system, of the web servers, and of Fleet itself on every Node (NODE-107). */
export const PROTECTED_ROOTS: readonly string[] = [
  '/boot',
  '/dev',
  '/etc',
  '/proc',
  '/run',
  '/sys',
  '/usr',
  '/var/www',
  '/opt/orbit',
  '/opt/fleet',
  '/var/lib/fleet',
  '/var/log/fleet',
]

/** Where development checkouts of a Node are made: the stored path, else a computed one that is never stored (NODE-104). */
export const appsRoot = (node: { readonly apps_path: string | null; readonly user_home: string }): string =>
  node.apps_path ?? `${node.user_home === '/' ? '' : node.user_home}/apps`

export interface AppsPathFacts {
  readonly userHome: string
  /** Further places nobody may choose, such as the gateway's own checkout; a home inside one is still usable. */
  readonly protectedPaths: readonly string[]
  /** Checkouts of the Instances on the Node. */
  readonly checkoutPaths: readonly string[]
}

/** The code that refuses an apps path; undefined for one that may be used (NODE-106 to NODE-108). */
export function appsPathRefusal(path: string, facts: AppsPathFacts): ErrorCode | undefined {
  if (!isNormalized(path)) return 'node.settings_path_invalid'
  if (isProtected(path, facts)) return 'node.settings_path_protected'
  if (facts.checkoutPaths.some((checkout) => isWithin(path, checkout))) return 'node.settings_path_managed'
  return undefined
}

/** `{apps: {path}}` as text, null when it clears the setting, undefined when it has another shape (NODE-103). */
export function readAppsPath(settings: unknown): string | null | undefined {
  if (!isRecord(settings) || !hasOnly(settings, 'apps')) return undefined
  const { apps } = settings
  if (apps === null) return null
  if (!isRecord(apps) || !hasOnly(apps, 'path')) return undefined
  return typeof apps['path'] === 'string' || apps['path'] === null ? apps['path'] : undefined
}

/**
 * Whether the files of Caddy and PHP can name the path. Each is one file for all Routes of a Node, so one path that they cannot
 * name would stop every change of them.
 */
export const isWritable = (path: string): boolean => !/["\\`{}$]/.test(path)
/** What such a path has none of. */
export const UNWRITABLE = 'a double quote, backslash, backtick, brace or dollar sign'

// 4,096 bytes is Linux's PATH_MAX with its closing NUL.
const PATH_MAX_BYTES = 4095
const CONTROL = /\p{Cc}/u

function isNormalized(path: string): boolean {
  if (!path.startsWith('/') || path === '/' || CONTROL.test(path) || !isWritable(path)) return false
  if (!path.isWellFormed() || new TextEncoder().encode(path).length > PATH_MAX_BYTES) return false
  const segments = path.split('/').slice(1)
  return segments.every((segment) => segment !== '' && segment !== '.' && segment !== '..')
}

function isProtected(path: string, { userHome, protectedPaths }: AppsPathFacts): boolean {
  if (isWithin(userHome, path)) return true
  if (isWithin(path, userHome) && path.slice(userHome.length).startsWith('/.')) return true
  const further = protectedFrom(path, { userHome, protectedPaths })
  return [...PROTECTED_ROOTS, ...further].some((root) => isWithin(path, root) || isWithin(root, path))
}

/**
 * The gateway's places that a path on a Node must stay out of. The home of a Node may lie inside of them, as in an embedded fleet;
 * what is in it is the Node's all the same.
 */
export const protectedFrom = (
  path: string,
  { userHome, protectedPaths }: Pick<AppsPathFacts, 'userHome' | 'protectedPaths'>,
): readonly string[] =>
  path.startsWith(`${userHome}/`)
    ? protectedPaths.filter((root) => !isWithin(userHome, root))
    : protectedPaths

/** True when the path equals the root or lies below it. */
/**
 * A Node that shares the machine of the gateway has a loopback address. The services of that machine, such as its firewall
 * and systemd, are not of the fleet.
 */
export const isEmbedded = ({ wireguard_ip }: Pick<NodeRecord, 'wireguard_ip'>): boolean =>
  wireguard_ip?.startsWith('127.') ?? false

const isWithin = (path: string, root: string): boolean =>
  path === root || path.startsWith(root === '/' ? '/' : `${root}/`)

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const hasOnly = (value: Readonly<Record<string, unknown>>, member: string): boolean =>
  Object.keys(value).length === 1 && Object.hasOwn(value, member)
