import { spawn } from 'node:child_process'
import { type RoleName, roleNames } from '@fleet/contract'
import { findAddresses } from './addresses.ts'
import { type Suite, suites } from './apt-sources.ts'
import { answersSsh } from './boot.ts'
import type { Host } from './host.ts'
import { type HostRequest, type Lab, openLab } from './lab.ts'
import { labMissing } from './machine.ts'
import { orphans } from './orphans.ts'
import { wordsInside } from './inside.ts'
import { hostPlace, type HostPlace, placeOf, PURPOSES } from './place.ts'
import { LabFault, type Words } from './program.ts'
import { statusOf, table } from './status.ts'
import { removeLab } from './sweep.ts'

type Command = (checkout: string, words: readonly string[]) => Promise<number>

const print = (line: string): void => console.log(line)

/** The verbs of `npm run lab`, each answering its exit status. */
export const commands: Readonly<Record<string, Command>> = { up, down, status, ssh }

/** A gateway with two Nodes, or plain hosts made or revived: `up`, `up web db`, `up web:app-prod+vpn@trixie`. */
async function up(checkout: string, words: readonly string[]): Promise<number> {
  const lab = await open(checkout)
  if (words.length === 0) {
    // Loaded only here: it builds a release.
    const { upFleet } = await import('./up-fleet.ts')
    const gateway = await upFleet({ print, ensure: (request) => ensure(lab, request) })
    print(`\nnpm run lab -- ssh ${gateway.name} fleet node:list`)
    return 0
  }
  const hosts: Host[] = []
  for (const request of words.map(requestOf)) {
    const start = performance.now()
    const host = await ensure(lab, request)
    print(`${host.name}  ${host.address}  ${((performance.now() - start) / 1000).toFixed(1)} s`)
    hosts.push(host)
  }
  const [first] = hosts
  print(`\nnpm run lab -- ssh ${first?.name ?? ''}`)
  if (first) printSsh(first)
  return 0
}

const printSsh = (host: Host): void => print(['ssh', ...host.sshOptions(), `root@${host.address}`].join(' '))

/** Removes everything of this checkout, also what a test run left behind, and labs whose checkout is gone. */
async function down(checkout: string): Promise<number> {
  requireLab()
  const removed: string[] = []
  for (const place of [...PURPOSES.map((purpose) => placeOf(checkout, purpose)), ...orphans()])
    removed.push(...(await removeLab(place)))
  for (const line of removed) print(`removed  ${line}`)
  if (removed.length === 0) print('there was no lab')
  return 0
}

async function status(checkout: string): Promise<number> {
  requireLab()
  const lab = await existing(checkout)
  const hosts = lab?.hosts() ?? []
  if (!lab || hosts.length === 0) {
    print('no hosts; npm run lab -- up')
    return 0
  }
  for (const line of table(await Promise.all(hosts.map((host) => statusOf(lab.place, host))))) print(line)
  return 0
}

/** A shell as root on a host, or one command. Answers its exit status. */
async function ssh(checkout: string, [name, ...words]: readonly string[]): Promise<number> {
  requireLab()
  const lab = await existing(checkout)
  const host = name === undefined ? undefined : lab?.find(name)
  if (!lab || !host)
    throw new LabFault(`usage: npm run lab -- ssh HOST [command]; hosts: ${lab ? namesOf(lab) : 'none'}`)
  const [program, ...rest] = await wayInto(host, hostPlace(lab.place, host.name), words)
  const child = spawn(program, rest, { stdio: 'inherit' })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve(code ?? 1))
  })
}

/** An enrolled host lets nobody in outside its tunnel, so it is entered past its network then. */
async function wayInto(host: Host, place: HostPlace, words: readonly string[]): Promise<Words> {
  if (await answersSsh(host.address)) return ['ssh', ...host.sshOptions(), `root@${host.address}`, ...words]
  return wordsInside(place, words.length === 0 ? ['bash', '--login'] : ['sh', '-c', words.join(' ')])
}

const open = (checkout: string): Promise<Lab> => openLab({ checkout, purpose: 'lab', report: print })

/** The lab if there is one: looking at it makes none. */
const existing = (checkout: string): Promise<Lab | undefined> =>
  findAddresses(placeOf(checkout, 'lab')) ? open(checkout) : Promise.resolve(undefined)

const namesOf = (lab: Lab): string =>
  lab
    .hosts()
    .map((host) => host.name)
    .join(', ')

function requireLab(): void {
  const missing = labMissing()
  if (missing !== undefined) throw new LabFault(missing)
}

async function ensure(lab: Lab, request: HostRequest): Promise<Host> {
  const host = lab.find(request.name)
  if (!host) return lab.host(request)
  if (!host.isOn()) await host.revive()
  return host
}

/** `name` or `name:role+role`, of another release as `name:role+role@trixie`. */
function requestOf(word: string): HostRequest {
  const [host = '', release] = word.split('@')
  const [name = '', roles = ''] = host.split(':')
  const suite = release === undefined ? {} : { suite: suiteOf(release) }
  return { name, roles: roles === '' ? [] : roles.split('+').map(roleOf), ...suite }
}

function suiteOf(name: string): Suite {
  const suite = suites.find((known) => known === name)
  if (suite === undefined)
    throw new LabFault(`${name} is no release of Debian for a host: ${suites.join(', ')}`)
  return suite
}

function roleOf(name: string): RoleName {
  const role = roleNames.find((known) => known === name)
  if (role === undefined) throw new LabFault(`${name} is no role; roles: ${roleNames.join(', ')}`)
  return role
}
