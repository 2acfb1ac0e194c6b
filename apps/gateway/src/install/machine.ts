import { existsSync, readFileSync } from 'node:fs'
import { machine } from 'node:os'
import { join } from 'node:path'
import { type Listener, run } from '@fleet/shell'
import { must, succeeds } from '#/console/programs.ts'
import { Refusal } from '#/console/refusal.ts'
import type { Manifest } from '#/release/manifest.ts'
import { foreignListeners, showPort, takenText, takerOf } from './taken-port.ts'

const HOST_KEY = '/etc/ssh/ssh_host_ed25519_key.pub'

/** The machine on which the installer runs. */
export interface Machine {
  readonly architecture: string
  /** Folder that its paths begin at. */
  readonly root: string
  isSshActive(): Promise<boolean>
  foreignListeners(): Promise<readonly Listener[]>
}

const thisMachine = (): Machine => ({
  architecture: machine(),
  root: '/',
  isSshActive: () => succeeds(run('systemctl', 'is-active', '--quiet', 'ssh')),
  foreignListeners,
})

export const HTTPS_PORT = 443

interface Wanted extends Pick<Manifest, 'architecture'> {
  /** UDP port of the private network; undefined while only the records know it. */
  readonly hubPort: number | undefined
}

/** Refuses a machine that cannot become a gateway, before anything changes. */
export async function requireMachine(
  { architecture, hubPort }: Wanted,
  own: Machine = thisMachine(),
): Promise<void> {
  const at = (path: string): string => join(own.root, path)
  if (own.architecture !== architecture)
    throw new Refusal(`This release is for ${architecture}, and this machine is ${own.architecture}.`)
  if (!existsSync(at('etc/debian_version'))) throw new Refusal('A gateway can be installed on Debian only.')
  if (readFileSync(at('proc/1/comm'), 'utf8').trim() !== 'systemd')
    throw new Refusal('A gateway requires systemd as the init process.')
  if (!existsSync(at(HOST_KEY)) || !(await own.isSshActive()))
    throw new Refusal(
      'No SSH server is running here. The gateway manages its own machine over SSH, like every other machine.',
      'apt-get install openssh-server',
    )
  requireFree(await own.foreignListeners(), hubPort)
}

/** Public SSH is closed before the gateway listens, so a port that it cannot have would leave nothing that answers. */
function requireFree(listeners: readonly Listener[], hubPort: number | undefined): void {
  const https = takerOf(listeners, { protocol: 'tcp', port: HTTPS_PORT, address: '0.0.0.0' })
  if (https)
    throw new Refusal(
      `${takenText(https)} The gateway needs it, and nothing was changed.`,
      `${showPort(https)} shows the program. Stop it, or have it listen on single addresses, then run the same command again.`,
    )
  const hub = hubPort === undefined ? undefined : takerOf(listeners, { protocol: 'udp', port: hubPort })
  if (hub)
    throw new Refusal(
      `${takenText(hub)} The private network needs it, and nothing was changed.`,
      `${showPort(hub)} shows the program. Stop it, or choose another port for the network: --port PORT`,
    )
}

/** `SHA256:…` of this machine's own host key: read from its disk, so nobody in between could change it. */
export async function ownHostKey(path: string = HOST_KEY): Promise<string> {
  const line = await must(run('ssh-keygen', '-lf', path))
  const fingerprint = /SHA256:[A-Za-z0-9+/]{43}/.exec(line)?.[0]
  if (fingerprint === undefined) throw new Refusal(`${path} is not a host key.`)
  return fingerprint
}
