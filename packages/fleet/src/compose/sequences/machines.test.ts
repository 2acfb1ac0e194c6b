import { fail } from '@fleet/contract'
import { FakeCheckouts, FakeUfw } from '@fleet/testing'
import type { Site } from '#/web-server/api.ts'
import { Homes } from '#/compose/sequences/homes.test.ts'

/** What a Node has of Routes, as the work of the gateway left it. */
export interface Machine {
  /** Names by scope. */
  readonly leaves: Map<string, string>
  /** The Caddyfile that it serves. */
  file: string
  /** What that file was rendered from. */
  sites: readonly Site[]
  /** Names of its PHP pools. */
  pools: readonly string[]
  /** Web roots that its web server may read, by checkout. */
  readonly opened: Map<string, readonly string[]>
  readonly ufw: FakeUfw
  readonly homes: Homes
  /** Release of each home that its PHP has read, by the path of the home. */
  readonly php: Map<string, string | undefined>
}

/** A remote command that fails: before it ran, or with its answer lost. */
export interface Trouble {
  /** From 1. */
  readonly command: number
  readonly when: 'before' | 'after'
}

/** Machines that outlive the processes of their gateway. */
export class Machines {
  readonly checkouts = new FakeCheckouts()
  /** Directories that somebody had and that became checkouts of Instances. */
  readonly adopted = new Set<string>()
  /** The Node that does not answer. */
  #silent: number | undefined
  /** What the private DNS answers. */
  catalog = ''
  /** Ids of Nodes by each of their addresses. */
  readonly addresses = new Map<string, number>()
  /** Remote commands since the last call of `disturb`. */
  commands = 0
  #trouble: Trouble | undefined
  readonly #machines = new Map<number, Machine>()

  of(nodeId: number): Machine {
    const known = this.#machines.get(nodeId) ?? newMachine()
    this.#machines.set(nodeId, known)
    return known
  }

  /** The site that answers a domain at an address. */
  siteAt(address: string, domain: string): { readonly machine: Machine; readonly site: Site } | undefined {
    const machine = this.of(this.addresses.get(address) ?? 0)
    const site = machine.sites.find(
      (one) =>
        one.domain === domain && one.listener.kind === 'tcp' && one.listener.addresses.includes(address),
    )
    return site && { machine, site }
  }

  /** From now on this command fails; without one none does. */
  disturb(trouble?: Trouble): void {
    this.commands = 0
    this.#trouble = trouble
  }

  /** Nobody reaches the Node while the work runs. */
  async without<T>(nodeId: number, work: () => Promise<T>): Promise<T> {
    this.#silent = nodeId
    try {
      return await work()
    } finally {
      this.#silent = undefined
    }
  }

  isSilent(nodeId: number): boolean {
    return this.#silent === nodeId
  }

  /** Work on a machine: one command. */
  async command<T>(work: () => T | Promise<T>): Promise<T> {
    this.commands += 1
    const { command, when } = this.#trouble ?? {}
    const isHit = command === this.commands
    if (isHit && when === 'before') throw fail('node.unreachable')
    const result = await work()
    if (isHit) throw fail('node.connection_lost')
    return result
  }
}

function newMachine(): Machine {
  const ufw = new FakeUfw()
  ufw.load()
  return {
    leaves: new Map(),
    file: '',
    sites: [],
    pools: [],
    opened: new Map(),
    ufw,
    homes: new Homes(),
    php: new Map(),
  }
}
