import type { SshPool } from '@fleet/ssh'
import type { Store } from '@fleet/store'
import { isWhole } from './sample.ts'

/** The moment a process dies: before its n-th write to the store, or around its n-th remote command. */
export type Moment =
  | { readonly beforeWrite: number }
  | { readonly beforeCommand: number }
  | { readonly afterCommand: number }

export class Died extends Error {
  override readonly name = 'Died'
}

/** What a process sees that dies at the moment: from then on no query and no command of it has any effect. */
export interface Mortal {
  readonly store: Store
  readonly ssh: SshPool
  /** What a fake does in the place of a remote command, and is counted as one. */
  around<T>(work: () => Promise<T>): Promise<T>
  /** Changes of the store so far. */
  writes(): number
  /** Remote commands so far. */
  commands(): number
  /** Moments so far at which a death leaves something that it leaves at no other. */
  moments(): readonly Moment[]
  /** Whether the moment has come. */
  isDead(): boolean
}

type Plugin = NonNullable<Parameters<Store['db']['withPlugin']>[0]>

/** A store and a pool in the hands of a process that dies; without a moment it lives and counts. */
export function makeMortal(store: Store, ssh: SshPool, moment?: Moment): Mortal {
  const life = new Life(moment)
  const plugin = pluginOf(life)
  return {
    store: {
      ...store,
      db: store.db.withPlugin(plugin),
      relaxed: store.relaxed.withPlugin(plugin),
      transaction: (work) => store.transaction((db) => work(db.withPlugin(pluginOf(life, {})))),
    },
    ssh: {
      ...ssh,
      run: (target, command, options) => life.command(() => ssh.run(target, command, options)),
    },
    around: (work) => life.command(work),
    writes: () => life.writes,
    commands: () => life.commands,
    moments: () => life.trace.moments,
    isDead: () => life.isDead,
  }
}

const pluginOf = (life: Life, transaction?: object): Plugin => ({
  transformQuery: ({ node }) => {
    life.query(node.kind !== 'SelectQueryNode', transaction)
    return node
  },
  transformResult: ({ result }) => Promise.resolve(result),
})

class Life {
  writes = 0
  commands = 0
  isDead = false
  readonly trace = new Trace()
  readonly #moment: Moment | undefined

  constructor(moment: Moment | undefined) {
    this.#moment = moment
  }

  query(isWrite: boolean, transaction: object | undefined): void {
    if (isWrite) {
      this.writes += 1
      this.trace.write(this.writes, transaction)
    }
    this.#dieWhen(isWrite && this.#is('beforeWrite', this.writes))
  }

  async command<T>(run: () => Promise<T>): Promise<T> {
    this.commands += 1
    // Another one may begin before this one ends.
    const count = this.commands
    this.trace.begin(count)
    this.#dieWhen(this.#is('beforeCommand', count))
    const result = await run().finally(() => this.trace.end(count))
    this.#dieWhen(this.#is('afterCommand', count))
    return result
  }

  #is(kind: string, count: number): boolean {
    return (
      this.#moment !== undefined && Object.entries(this.#moment).some(([k, n]) => k === kind && n === count)
    )
  }

  #dieWhen(now: boolean): void {
    if (now) this.isDead = true
    if (this.isDead) throw new Died('the process is dead')
  }
}

/**
 * What happened in which order. Whoever dies after a command leaves what he leaves before the next write or command, unless
 * another command runs meanwhile; and of a transaction nothing stays, however many of its writes there were.
 */
class Trace {
  readonly #moments: Moment[] = []
  #ended: Moment | undefined
  #open = 0
  #transaction: object | undefined

  get moments(): readonly Moment[] {
    return this.#ended ? [...this.#moments, this.#ended] : this.#moments
  }

  write(count: number, transaction: object | undefined): void {
    const isOfLast = transaction !== undefined && transaction === this.#transaction
    this.#transaction = transaction
    if (!isOfLast) this.#add({ beforeWrite: count })
  }

  begin(count: number): void {
    this.#transaction = undefined
    this.#add({ beforeCommand: count })
    this.#open += 1
  }

  end(count: number): void {
    this.#open -= 1
    if (this.#open === 0) this.#ended = { afterCommand: count }
    else this.#moments.push({ afterCommand: count })
  }

  #add(moment: Moment): void {
    this.#ended = undefined
    this.#moments.push(moment)
  }
}

/**
 * The moments at which a process with this life can die: those that leave something of their own, and in a whole run every one,
 * since not everything that a process does is a write or a command.
 */
export const momentsOf = (mortal: Mortal): readonly Moment[] =>
  isWhole() ? everyMoment(mortal) : mortal.moments()

const everyMoment = ({ writes, commands }: Mortal): readonly Moment[] => [
  ...Array.from({ length: writes() }, (_, index) => ({ beforeWrite: index + 1 })),
  ...Array.from({ length: commands() }, (_, index) => ({ beforeCommand: index + 1 })),
  ...Array.from({ length: commands() }, (_, index) => ({ afterCommand: index + 1 })),
]
