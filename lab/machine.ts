import { accessSync, constants, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Programs that the lab starts, with the Debian package that brings each. */
const PROGRAMS: Readonly<Record<string, string>> = {
  debootstrap: 'debootstrap',
  'systemd-nspawn': 'systemd-container',
  ip: 'iproute2',
  bridge: 'iproute2',
  'mkfs.ext4': 'e2fsprogs',
  mount: 'mount',
  losetup: 'mount',
  nsenter: 'util-linux',
  fallocate: 'util-linux',
  perl: 'perl-base',
  dpkg: 'dpkg',
  'ssh-keygen': 'openssh-client',
  ssh: 'openssh-client',
}

const SEARCH = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin']

// Numbers from linux/capability.h; a root without them stands in a container that may not make others.
const CAPABILITIES = { CAP_NET_ADMIN: 12, CAP_SYS_ADMIN: 21 } as const

/** Why no lab can be built here, in words that say what to do; undefined when one can. */
export function labMissing(): string | undefined {
  if (process.platform !== 'linux')
    return `the lab builds Linux hosts and needs Linux; this is ${process.platform}`
  if (process.getuid?.() !== 0) return 'the lab needs root: it mounts file systems and makes networks'
  return missingPackages() ?? missingRights() ?? missingKernel()
}

/** The mount point of version 2 of the control groups; undefined where there is none. */
export function controlGroups(): string | undefined {
  const line = readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .find((entry) => entry.includes(' - cgroup2 '))
  return line?.split(' ')[4]
}

function missingPackages(): string | undefined {
  const packages = Object.entries(PROGRAMS)
    .filter(([name]) => !isInstalled(name))
    .map(([, brought]) => brought)
  if (packages.length === 0) return undefined
  return `the lab needs Debian packages that this machine lacks: apt-get install --no-install-recommends ${[...new Set(packages)].join(' ')}`
}

const isInstalled = (name: string): boolean => SEARCH.some((folder) => isExecutable(join(folder, name)))

function missingRights(): string | undefined {
  const [, mask = '0'] = /^CapEff:\s*([0-9a-f]+)$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? []
  const lacking = Object.entries(CAPABILITIES).filter(
    ([, bit]) => ((BigInt(`0x${mask}`) >> BigInt(bit)) & 1n) === 0n,
  )
  if (lacking.length === 0) return undefined
  return `the lab needs a root with ${lacking.map(([name]) => name).join(' and ')}, which this container withholds`
}

function missingKernel(): string | undefined {
  if (!/\boverlay$/m.test(readFileSync('/proc/filesystems', 'utf8')))
    return 'the lab needs overlay file systems: modprobe overlay'
  if (!existsSync('/dev/loop-control')) return 'the lab needs loop devices: modprobe loop'
  if (controlGroups() === undefined) return 'the lab needs control groups of version 2 mounted somewhere'
  return undefined
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
