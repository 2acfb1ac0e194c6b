import { existsSync, readFileSync } from 'node:fs'
import { machine } from 'node:os'
import { run } from '@fleet/shell'
import { must, succeeds } from '#/console/programs.ts'
import { Refusal } from '#/console/refusal.ts'
import type { Manifest } from '#/release/manifest.ts'

const HOST_KEY = '/etc/ssh/ssh_host_ed25519_key.pub'

/** Refuses a machine that cannot become a gateway, before anything changes. */
export async function requireMachine({ architecture }: Manifest): Promise<void> {
  if (machine() !== architecture)
    throw new Refusal(`This release is for ${architecture}, and this machine is ${machine()}.`)
  if (!existsSync('/etc/debian_version')) throw new Refusal('A gateway can be installed on Debian only.')
  if (readFileSync('/proc/1/comm', 'utf8').trim() !== 'systemd')
    throw new Refusal('A gateway requires systemd as the init process.')
  if (!existsSync(HOST_KEY) || !(await succeeds(run('systemctl', 'is-active', '--quiet', 'ssh'))))
    throw new Refusal(
      'No SSH server is running here. The gateway manages its own machine over SSH, like every other machine.',
      'apt-get install openssh-server',
    )
}

/** `SHA256:…` of this machine's own host key: read from its disk, so nobody in between could change it. */
export async function ownHostKey(): Promise<string> {
  const line = await must(run('ssh-keygen', '-lf', HOST_KEY))
  const fingerprint = /SHA256:[A-Za-z0-9+/]{43}/.exec(line)?.[0]
  if (fingerprint === undefined) throw new Refusal(`${HOST_KEY} is not a host key.`)
  return fingerprint
}
