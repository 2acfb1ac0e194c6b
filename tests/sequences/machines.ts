import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import type { RoleName } from '@fleet/contract'
import { Secret } from '@fleet/kernel'
import { type Command, startedBy } from '@fleet/shell'
import { dial, ForwardRefused, runLocally, SshFailure, type SshPool } from '@fleet/ssh'
import type { Row, Store } from '@fleet/store'
import { addNode, FINGERPRINT, makeNodeHome, type ServiceHost, serviceHost } from '@fleet/testing'
import { installSqlitePrograms } from '@fleet/testing/sqlite-programs'

/** What becomes of one command of a Node. */
export type Trouble =
  /** It never runs. */
  | 'unreachable'
  /** It runs to its end, and nobody hears of it. */
  | 'lost'
  /** No byte fits on any file system of the Node. */
  | 'full'
  /** A program that it needs fails. */
  | 'broken'

/** A Node that is folders of this computer: a root of its own with a service manager, and a home. */
export interface Machine {
  readonly node: Row<'nodes'>
  readonly host: ServiceHost
  readonly home: string
  readonly apps: string
  /** The file of its web server. */
  sites: string
}

export interface Machines extends Disposable {
  readonly all: readonly Machine[]
  /** The root that the gateway believes every Node to have; each Node has another in its place. */
  readonly root: string
  readonly pool: SshPool
  /** How many commands were asked for so far. */
  asked(): number
  /** Asked before each command, with its number from 1. */
  trouble: (number: number) => Trouble | undefined
  at(nodeId: number): Machine
}

/** Programs of a Node that may fail. What they read and write belongs to other commands. */
const PROGRAMS = ['git', 'systemctl', 'mv', 'ln', 'rm', 'mkdir', 'cp'] as const

const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

// Writes fail as on a full disk, but for the number of the error: a file may be made and renamed, and gets no byte.
const FULL = ['sh', '-c', 'trap "" XFSZ; ulimit -f 0; exec "$@"', 'sh'] as const

export async function startMachines(
  store: Store,
  roles: readonly (readonly RoleName[])[],
  env: Readonly<Record<string, string>>,
): Promise<Machines> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'fleet host-')))
  const all: Machine[] = []
  for (const [index, held] of roles.entries())
    all.push(await addMachine(store, `${held.includes('router') ? 'router' : 'node'}-${index + 1}`, held))
  let asked = 0
  const at = (nodeId: number): Machine => {
    const machine = all.find(({ node }) => node.id === nodeId)
    if (!machine) throw new Error(`there is no Node ${nodeId}`)
    return machine
  }
  const run: SshPool['run'] = async ({ nodeId }, command, options) => {
    const machine = at(nodeId)
    const trouble = machines.trouble((asked += 1))
    if (trouble === 'unreachable') throw new SshFailure('unreachable', false)
    const given = rooted(command, root, machine.host.root)
    const result = await runLocally(trouble === 'full' ? startedBy(FULL, given) : given, {
      ...options,
      cwd: machine.home,
      env: {
        LANG: 'C.UTF-8',
        HOME: machine.home,
        ...env,
        ...machine.host.systemd.env,
        PATH: [
          ...(trouble === 'broken' ? [machine.host.at('broken')] : []),
          machine.host.at('fake'),
          PATH,
        ].join(':'),
      },
    })
    if (trouble === 'lost') throw new SshFailure('connection_lost', true)
    const back = (bytes: Buffer): Buffer => replaced(bytes, machine.host.root, root)
    return { ...result, stdout: back(result.stdout), stderr: back(result.stderr) }
  }
  const machines: Machines = {
    all,
    root,
    at,
    asked: () => asked,
    trouble: () => undefined,
    pool: {
      run,
      forward: async (_target, destination, { signal }) => {
        if ('socketPath' in destination) throw new ForwardRefused('these Nodes dial ports alone')
        return dial(destination, signal ?? new AbortController().signal)
      },
      probe: async () => undefined,
      scan: async () => FINGERPRINT,
      forget: () => undefined,
      [Symbol.asyncDispose]: async () => undefined,
    },
    [Symbol.dispose]: () => {
      const strays = readdirSync(root)
      rmSync(root, { recursive: true })
      for (const { host, home } of all) {
        host[Symbol.dispose]()
        rmSync(home, { recursive: true, force: true })
      }
      if (strays.length > 0) throw new Error(`a command wrote outside of its Node: ${strays.join(' ')}`)
    },
  }
  return machines
}

async function addMachine(store: Store, name: string, roles: readonly RoleName[]): Promise<Machine> {
  const host = serviceHost()
  const home = makeNodeHome(name)
  host.install('sudo', 'while [ "${1#-}" != "$1" ]; do case $1 in -u) shift ;; esac; shift; done\nexec "$@"')
  host.install('systemd-analyze', 'exit 0')
  for (const program of PROGRAMS) host.write(`broken/${program}`, `#!/bin/sh\nexit 1\n`, 0o755)
  installSqlitePrograms(host.at('fake'), host.root)
  const node = await addNode(store, {
    name,
    roles,
    tld: `${name}.test`,
    platform: 'linux',
    user: userInfo().username,
    user_home: home,
  })
  mkdirSync(join(home, 'apps'))
  // Checks look for homes below the root of the Node.
  mkdirSync(host.at('tmp'))
  symlinkSync(home, host.at(home))
  return { node, host, home, apps: join(home, 'apps'), sites: '' }
}

/** The command with another root of the same length, so that its own count of bytes still holds. */
function rooted(command: Command, from: string, to: string): Command {
  if (Buffer.byteLength(from) !== Buffer.byteLength(to)) throw new Error('the roots differ in length')
  const { line, program, fed, stdin, payload } = command
  const moved = (text: string): string => text.replaceAll(from, to)
  return {
    ...command,
    line: moved(line),
    ...(program !== undefined && { program: moved(program) }),
    ...(fed && {
      fed: { line: moved(fed.line), ...(fed.program !== undefined && { program: moved(fed.program) }) },
    }),
    ...(stdin && { stdin: new Secret(moved(stdin.reveal())) }),
    ...(payload && { payload: replaced(Buffer.from(payload), from, to) }),
  }
}

const replaced = (bytes: Buffer, from: string, to: string): Buffer =>
  bytes.includes(from) ? Buffer.from(bytes.toString('latin1').replaceAll(from, to), 'latin1') : bytes
