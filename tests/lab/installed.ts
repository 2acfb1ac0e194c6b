import assert from 'node:assert/strict'
import { basename } from 'node:path'
import { after, before } from 'node:test'
import type { RoleName } from '@fleet/contract'
import {
  type Ended,
  GatewayHost,
  type Host,
  type HostRequest,
  type Lab,
  type Suite,
} from '../../lab/index.ts'
import { asObject, type JsonObject } from '../embedded/ask.ts'
import { builtRelease, carryExecutable, installGateway } from './install.ts'
import { canHaveLab, testLab } from './site.ts'

/** A host that is to be a Node, under this name. */
export interface WantedNode {
  readonly name: string
  readonly roles: readonly RoleName[]
  /** More Debian packages than the roles need. */
  readonly packages?: readonly string[]
  /** More words of `fleet node:add`, such as a top-level domain. */
  readonly words?: readonly string[]
  /** The network between the hosts is its LAN. */
  readonly isOnLan?: true
  /** Its release of Debian; that of the lab when absent. */
  readonly suite?: Suite
}

export interface WantedFleet {
  /** Begins the names of all its hosts, so that two test files never meet. */
  readonly name: string
  readonly nodes: readonly WantedNode[]
}

/** A gateway installed on a host of its own from a release of this checkout, and Nodes enrolled by its command line. */
export interface InstalledFleet extends AsyncDisposable {
  readonly lab: Lab
  readonly gateway: GatewayHost
  /** Name that a wanted Node has as host and as Node. */
  nameOf(name: string): string
  /** The host of a wanted Node. */
  node(name: string): Host
  /** A blank host that is no Node yet, with the packages that the roles need. */
  blank(wanted: WantedNode): Promise<Host>
  /** The same with the executable in its place already, as a machine has it that was a Node before: 120 MB less to carry. */
  earlierNode(wanted: WantedNode): Promise<Host>
  /** Enrolls a host as a person does. Answers what the command line said of the steps. */
  enroll(host: Host, wanted: WantedNode): Promise<string>
  /** The record that a command answers. */
  record(...words: Words): Promise<JsonObject>
  /** The records that a command answers. */
  records(...words: Words): Promise<readonly JsonObject[]>
  /** Code and details of a command that must fail. */
  refused(...words: Words): Promise<{ readonly code: unknown; readonly details: JsonObject }>
}

type Words = readonly [string, ...string[]]

/** The one fleet of a test file: started before its tests, whose time it does not take, and removed after the last. */
export function shareFleet(wanted: WantedFleet): () => InstalledFleet {
  let fleet: InstalledFleet | undefined
  before(async () => {
    if (canHaveLab) fleet = await startInstalledFleet(wanted)
  })
  after(() => fleet?.[Symbol.asyncDispose]())
  return () => fleet ?? assert.fail('the fleet did not start')
}

/** Some seconds for a gateway that was installed before, twenty for the first, and ten for each Node: share one per test file. */
export async function startInstalledFleet({ name, nodes }: WantedFleet): Promise<InstalledFleet> {
  await using stack = new AsyncDisposableStack()
  const lab = await testLab()
  const nameOf = (node: string): string => `${name}-${node}`
  const wanted: HostRequest = { name: nameOf('gateway'), roles: ['gateway', 'vpn'] }
  // The release is named after its content, so a change of it is installed anew.
  const host = stack.use(await lab.prepared(wanted, basename(await builtRelease()), installGateway))
  const gateway = new GatewayHost(host)
  await gateway.ready()
  const hosted = stack.use(new AsyncDisposableStack())
  const blank: InstalledFleet['blank'] = async ({ name, roles, packages, suite }) =>
    hosted.use(
      await lab.host({
        name: nameOf(name),
        roles: ['gateway', ...roles],
        ...(packages ? { packages } : {}),
        ...(suite ? { suite } : {}),
      }),
    )
  const earlierNode: InstalledFleet['earlierNode'] = async (wanted) => {
    const machine = await blank(wanted)
    await carryExecutable(machine)
    return machine
  }
  const enroll: InstalledFleet['enroll'] = (machine, { roles, words = [], isOnLan }) =>
    gateway.enroll(machine, { roles, words: isOnLan ? [...words, '--lan-ip', machine.address] : words })
  const hosts = new Map<string, Host>()
  for (const wanted of nodes) {
    const machine = await earlierNode(wanted)
    await enroll(machine, wanted)
    hosts.set(wanted.name, machine)
  }
  const owned = stack.move()
  return {
    lab,
    gateway,
    nameOf,
    node: (wanted) => hosts.get(wanted) ?? assert.fail(`there is no Node ${wanted}`),
    blank,
    earlierNode,
    enroll,
    record: async (...words) => asObject(await gateway.data(words), words.join(' ')),
    records: async (...words) => recordsOf(await gateway.data(words), words),
    refused: async (...words) => refusalOf(await gateway.fleet([...words, '--json']), words),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

function recordsOf(data: unknown, words: Words): readonly JsonObject[] {
  assert.ok(Array.isArray(data), `${words.join(' ')} answers no list`)
  return data.map((row) => asObject(row, 'a row'))
}

function refusalOf(ended: Ended, words: Words): Awaited<ReturnType<InstalledFleet['refused']>> {
  assert.notEqual(ended.status, 0, `${words.join(' ')} succeeded: ${ended.stdout}`)
  const error = asObject(asObject(JSON.parse(ended.stderr), 'an error answer')['error'], 'error')
  return { code: error['code'], details: asObject(error['details'] ?? {}, 'details') }
}
