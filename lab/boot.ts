import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { ControlGroup } from './control-group.ts'
import { attemptInside, firstProcess } from './inside.ts'
import { type HostPlace, STATE_FOLDER } from './place.ts'
import { LabFault } from './program.ts'
import { waitFor } from './wait.ts'

const BOOT_SECONDS = 60
const BANNER_SECONDS = 2
const LAST_WORDS = 2000

// Otherwise a host would hold the disks of those that were there before it, and none of these could lose its power.
const FORGET_OTHERS = `own=$1; shift
cut -d ' ' -f 5 /proc/self/mountinfo | grep '^${STATE_FOLDER}/' | grep -v "^$own/" | sort -r |
  while read -r path; do umount -l "$path" 2>/dev/null; done
exec "$@"`

// In the group before it becomes the container, so that no process of the host was ever outside.
const JOIN_AND_BECOME = 'echo $$ >"$1/cgroup.procs" && shift && exec "$@"'

// Unified groups: systemd in the host would otherwise ask for the old ones. No filter of system calls: services such as
// Docker need what it refuses. The host's own network settings are its own to change.
const ENVIRONMENT = {
  PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
  SYSTEMD_NSPAWN_UNIFIED_HIERARCHY: '1',
  SYSTEMD_SECCOMP: '0',
  SYSTEMD_NSPAWN_API_VFS_WRITABLE: 'network',
}

/** Starts a host on its mounted root and waits until it has booted and its SSH server answers. Throws LabFault. */
export async function boot(host: HostPlace, address: string): Promise<void> {
  const group = new ControlGroup(host.id)
  group.make()
  const child = start(host, group.path)
  const ready = await waitFor(BOOT_SECONDS, async () => {
    if (hasEnded(child)) return false
    if (!(await hasBooted(host))) return undefined
    return (await answersSsh(address)) || (await answersItself(host)) ? true : undefined
  })
  if (ready === true) return
  throw new LabFault(`${host.name} did not come up\n${consoleOf(host).slice(-LAST_WORDS)}`)
}

const consoleFile = ({ folder }: HostPlace): string => join(folder, 'console')

function start(host: HostPlace, group: string): ChildProcess {
  const console = openSync(consoleFile(host), 'a')
  try {
    const alone = ['unshare', '--mount', 'sh', '-c', FORGET_OTHERS, 'sh', host.folder]
    const words = ['-c', JOIN_AND_BECOME, 'sh', group, ...alone, 'systemd-nspawn', ...options(host)]
    // A session of its own: it outlives this process and its terminal.
    const child = spawn('sh', words, {
      detached: true,
      stdio: ['ignore', console, console],
      env: ENVIRONMENT,
    })
    child.once('error', () => undefined)
    child.unref()
    return child
  } finally {
    closeSync(console)
  }
}

const options = (host: HostPlace): readonly string[] => [
  '--quiet',
  '--boot',
  `--directory=${host.root}`,
  `--network-namespace-path=/run/netns/${host.id}`,
  `--machine=${host.id}`,
  `--hostname=${host.name}`,
  '--register=no',
  '--keep-unit',
  '--capability=all',
  '--console=pipe',
  '--resolv-conf=off',
  '--timezone=off',
  '--link-journal=no',
  ...(existsSync('/dev/net/tun') ? ['--bind=/dev/net/tun'] : []),
]

const hasEnded = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null

async function hasBooted(host: HostPlace): Promise<boolean> {
  if (firstProcess(host) === undefined) return false
  const { stdout } = await attemptInside(host, ['systemctl', 'is-system-running'])
  return ['running', 'degraded'].includes(stdout.trim())
}

/** Whether an SSH server greets on port 22 within two seconds. */
export function answersSsh(address: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: address, port: 22, timeout: BANNER_SECONDS * 1000 })
    const answer = (value: boolean) => (): void => {
      socket.destroy()
      resolve(value)
    }
    socket.once('data', answer(true))
    socket.once('timeout', answer(false))
    socket.once('close', answer(false))
    socket.on('error', answer(false))
  })
}

const GREETING = 'exec 3<>/dev/tcp/127.0.0.1/22 && read -r -n 4 greeting <&3 && test "$greeting" = SSH-'

/** An enrolled host lets nobody outside the tunnel in, so it is asked from inside. */
const answersItself = async (host: HostPlace): Promise<boolean> =>
  (await attemptInside(host, ['timeout', String(BANNER_SECONDS), 'bash', '-c', GREETING])).status === 0

function consoleOf(host: HostPlace): string {
  try {
    return readFileSync(consoleFile(host), 'utf8')
  } catch {
    return ''
  }
}
