import type { ToolManagerName } from '@fleet/contract'
import type { NodeRecord } from '#/nodes/api.ts'

type Platform = NonNullable<NodeRecord['platform']>

interface ManagerRule {
  readonly platforms: readonly Platform[]
  /** Lock of its scope; casks are in the prefix of the formulae (TLX-050). */
  readonly lock: 'apt' | 'vp' | 'composer' | 'brew'
  /** How its packages are named (TLX-019). */
  readonly name: RegExp
  readonly longestName: number
  /** Packages that it needs itself, besides those of the catalogue of apt (TLX-049). */
  readonly needed: readonly string[]
}

const ANY: readonly Platform[] = ['linux', 'macos']

/** The five managers (TOOL-013). */
export const MANAGERS: Readonly<Record<ToolManagerName, ManagerRule>> = {
  apt: {
    platforms: ['linux'],
    lock: 'apt',
    // apt reads a hyphen at the end as a removal.
    name: /^[a-z0-9][a-z0-9+.-]*[a-z0-9+.]$/,
    longestName: 255,
    needed: [
      'acl',
      'attr',
      'ca-certificates',
      'caddy',
      'composer',
      'curl',
      'dnsmasq',
      'docker.io',
      'git',
      'gnupg',
      'libnss-resolve',
      'openssh-client',
      'openssh-server',
      'openssl',
      'php-curl',
      'php-xml',
      'sudo',
      'ufw',
      'unzip',
      'wireguard',
      'wireguard-tools',
    ],
  },
  composer: {
    platforms: ['linux'],
    lock: 'composer',
    name: /^[a-z0-9](?:[_.-]?[a-z0-9]+)*\/[a-z0-9](?:(?:[_.]|-{1,2})?[a-z0-9]+)*$/,
    longestName: 255,
    needed: [],
  },
  vp: {
    platforms: ANY,
    lock: 'vp',
    name: /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~][a-z0-9._~-]*$/,
    longestName: 214,
    needed: ['pnpm'],
  },
  brew: {
    platforms: ANY,
    lock: 'brew',
    name: /^[a-z0-9][a-z0-9._@-]*\+*$/,
    longestName: 255,
    needed: ['wireguard-tools', 'wireguard-go'],
  },
  'brew-cask': {
    platforms: ['macos'],
    lock: 'brew',
    name: /^[a-z0-9][a-z0-9._@-]*\+*$/,
    longestName: 255,
    needed: [],
  },
}

export const isSupported = (manager: ToolManagerName, platform: NodeRecord['platform']): boolean =>
  platform !== null && MANAGERS[manager].platforms.includes(platform)

export const isPackageName = (manager: ToolManagerName, name: string): boolean => {
  const { name: grammar, longestName } = MANAGERS[manager]
  return name.length <= longestName && grammar.test(name)
}

/** Whether Fleet needs the package on its Nodes, whatever the Tools say (TOOL-050). */
export const isProtected = (
  manager: ToolManagerName,
  name: string,
  bootstrapped: () => readonly string[],
): boolean => MANAGERS[manager].needed.includes(name) || (manager === 'apt' && bootstrapped().includes(name))
