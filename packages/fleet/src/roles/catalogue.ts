import type { RoleName } from '@fleet/contract'
import { namesOf, type Wanted } from '#/tools/api.ts'

export interface RoleNeeds {
  /** False while nothing on a machine can be made to serve it: the role is refused then. */
  readonly isServed: boolean
  readonly packages: readonly Wanted[]
  /** Units that run as long as the role is assigned; a star matches a version. */
  readonly units: readonly string[]
}

/** What Laravel and Symfony ask of PHP besides its core, and the drivers of the databases that Fleet knows. */
const PHP = [
  'bcmath',
  'cli',
  'curl',
  'fpm',
  'gd',
  'intl',
  'mbstring',
  'mysql',
  'pgsql',
  'sqlite3',
  'xml',
  'zip',
]

const WEB: Pick<RoleNeeds, 'packages' | 'units'> = {
  packages: ['acl', 'caddy', 'composer', 'git', ...PHP.map((part) => `php-${part}`), 'unzip'],
  units: ['caddy.service', 'php*-fpm.service'],
}
const NOTHING = { packages: [], units: [] } as const

export const ROLE_NEEDS: Readonly<Record<RoleName, RoleNeeds>> = {
  gateway: { isServed: true, ...NOTHING },
  // The program alone: Debian's service of this name would take port 53 of every address.
  vpn: { isServed: true, packages: ['dnsmasq-base'], units: [] },
  'app-dev': { isServed: true, ...WEB },
  'app-prod': { isServed: true, ...WEB },
  database: {
    isServed: true,
    // Docker CE is left alone where somebody installed it (ROLE-006).
    // Its command line is a package of its own since Debian 13.
    packages: [['docker.io', 'docker-ce'], { whereKnown: ['docker-cli', 'docker-ce-cli'] }],
    units: ['docker.service'],
  },
  ingress: { isServed: true, packages: ['caddy'], units: ['caddy.service'] },
  router: { isServed: true, packages: ['caddy'], units: ['caddy.service'] },
  // The program is this release's own, and so are its unit and what Doctor asks of it.
  websocket: { isServed: true, ...NOTHING },
  metrics: { isServed: false, ...NOTHING },
  analytics: { isServed: false, ...NOTHING },
}

/** Every package that some role needs; of several of which one is enough, all. */
export const rolePackages = (): readonly string[] =>
  Object.values(ROLE_NEEDS).flatMap(({ packages }) => packages.flatMap(namesOf))
