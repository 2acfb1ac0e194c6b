import { createHash } from 'node:crypto'
import type { RoleName } from '@fleet/contract'

/**
 * A blank Debian server as a person gets one, with the library of `faketime` beside it: a host whose clock is to be
 * moved may be cut off from every package source.
 */
export const BASE_PACKAGES = [
  'ca-certificates',
  'dbus',
  'iproute2',
  'libfaketime',
  'libpam-systemd',
  'nftables',
  'openssh-server',
  'procps',
  'sudo',
  'systemd',
  'systemd-sysv',
] as const

/** What every Node has once it is enrolled. */
const NODE_PACKAGES = [
  'acl',
  'git',
  'rsync',
  'sqlite3',
  'systemd-resolved',
  'ufw',
  'wireguard-go',
  'wireguard-tools',
]

const APP_PACKAGES = [
  'caddy',
  'composer',
  'php-bcmath',
  'php-cli',
  'php-curl',
  'php-fpm',
  'php-gd',
  'php-intl',
  'php-mbstring',
  'php-mysql',
  'php-pgsql',
  'php-sqlite3',
  'php-xml',
  'php-zip',
  'unzip',
]

const ROLE_PACKAGES: Readonly<Record<RoleName, readonly string[]>> = {
  gateway: [],
  vpn: ['dnsmasq'],
  'app-dev': APP_PACKAGES,
  'app-prod': APP_PACKAGES,
  database: ['docker.io'],
  ingress: ['caddy'],
  router: ['caddy'],
  websocket: [],
  metrics: [],
  analytics: ['docker.io'],
}

/** Raised when the recipe of a tree changes without its list of packages. */
const RECIPE = 2

/** What Debian 13 has split off. */
const SPLIT_OFF: Readonly<Record<string, readonly string[]>> = { 'docker.io': ['docker-cli'] }

/** What a host needs beyond the base: what its roles need and what is asked for by name, sorted, each once. */
export function packagesFor(
  suite: string,
  roles: readonly RoleName[],
  packages: readonly string[],
): readonly string[] {
  const ofRoles =
    roles.length === 0 ? [] : [...NODE_PACKAGES, ...roles.flatMap((role) => ROLE_PACKAGES[role])]
  const parts = suite === 'trixie' ? ofRoles.flatMap((name) => SPLIT_OFF[name] ?? []) : []
  return [...new Set([...ofRoles, ...parts, ...packages])].toSorted()
}

/** Names a tree after everything that decides what is in it. */
export const contentKey = (parts: readonly string[]): string =>
  createHash('sha256')
    .update(JSON.stringify([RECIPE, ...parts]))
    .digest('hex')
    .slice(0, 16)
