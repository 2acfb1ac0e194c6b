import { arch, homedir, userInfo } from 'node:os'

/** What the Nodes of this process report of the machine they share. */
export interface Machine {
  readonly platform: 'linux' | 'macos'
  /** As `uname -m` prints it. */
  readonly architecture: string
  readonly user: string
  readonly home: string
}

const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'x86_64', arm64: 'aarch64', ia32: 'i686' }

export function thisMachine(): Machine {
  const isMac = process.platform === 'darwin'
  const name = arch()
  return {
    platform: isMac ? 'macos' : 'linux',
    architecture: isMac && name === 'arm64' ? name : (ARCHITECTURES[name] ?? name),
    user: currentUser(),
    home: homedir(),
  }
}

/** The name that `id -un` prints: the number where the system knows no name, as in some containers. */
export function currentUser(): string {
  try {
    return userInfo().username
  } catch {
    return String(process.getuid?.() ?? '')
  }
}
