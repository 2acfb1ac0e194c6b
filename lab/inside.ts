import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ControlGroup } from './control-group.ts'
import type { HostPlace } from './place.ts'
import { attempt, type Ended, LabFault, type ProgramOptions, type Words } from './program.ts'

const NAMESPACES = ['--mount', '--uts', '--ipc', '--net', '--pid', '--cgroup', '--root', '--wd']
const ENVIRONMENT = [
  'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  'HOME=/root',
  'LANG=C.UTF-8',
]

/** The id, on this machine, of a host's process 1; undefined while it has none. */
export function firstProcess(host: HostPlace): number | undefined {
  try {
    // systemd moves itself there when it starts, and nothing else lives there.
    const ids = readFileSync(join(new ControlGroup(host.id).path, 'payload/init.scope/cgroup.procs'), 'utf8')
    const [first = ''] = ids.split('\n')
    return first === '' ? undefined : Number(first)
  } catch {
    return undefined
  }
}

/** Runs words as root in a host, past its network and its SSH server, so also while it is cut off. */
export async function attemptInside(
  host: HostPlace,
  words: Words,
  options: ProgramOptions = {},
): Promise<Ended> {
  return attempt(wordsInside(host, words), options)
}

/** What runs words as root in a host when this machine runs it. Throws LabFault for one that is off. */
export function wordsInside(host: HostPlace, words: Words): Words {
  const first = firstProcess(host)
  if (first === undefined) throw new LabFault(`${host.name} is off`)
  return ['nsenter', '--target', String(first), ...NAMESPACES, '--', 'env', '-i', ...ENVIRONMENT, ...words]
}

/** Where names are looked up. */
export const LOOKUP_FILES = ['resolv.conf', 'hosts'] as const

const LOOKING_UP = `${LOOKUP_FILES.map((file) => `mount --bind "$1/${file}" /etc/${file}`).join(' && ')} && shift && exec "$@"`

/** What runs words of this machine, with its files, in the network of a host and with the names of the files of a folder. */
export const wordsBeside = ({ id }: HostPlace, folder: string, words: Words): Words => [
  'nsenter',
  `--net=/run/netns/${id}`,
  '--',
  'unshare',
  '--mount',
  'sh',
  '-c',
  LOOKING_UP,
  'sh',
  folder,
  ...words,
]

/** Standard output of words that must succeed. Throws LabFault with their last words. */
export async function runInside(
  host: HostPlace,
  words: Words,
  options: ProgramOptions = {},
): Promise<string> {
  const { status, stdout, stderr } = await attemptInside(host, words, options)
  if (status === 0) return stdout
  throw new LabFault(
    `on ${host.name}: ${words.join(' ')} ended with status ${status ?? 'of a signal'}\n${stdout}${stderr}`,
  )
}
