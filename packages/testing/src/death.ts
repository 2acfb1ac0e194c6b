import type { SshPool } from '@fleet/ssh'
import type { Store } from '@fleet/store'

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
  /** Whether the moment has come. */
  isDead(): boolean
}

type Plugin = NonNullable<Parameters<Store['db']['withPlugin']>[0]>

/** A store and a pool in the hands of a process that dies; without a moment it lives and counts. */
export function makeMortal(store: Store, ssh: SshPool, moment?: Moment): Mortal {
  const life = new Life(moment)
  const plugin: Plugin = {
    transformQuery: ({ node }) => {
      life.query(node.kind !== 'SelectQueryNode')
      return node
    },
    transformResult: ({ result }) => Promise.resolve(result),
  }
  return {
    store: {
      ...store,
      db: store.db.withPlugin(plugin),
      relaxed: store.relaxed.withPlugin(plugin),
      transaction: (work) => store.transaction((db) => work(db.withPlugin(plugin))),
    },
    ssh: {
      ...ssh,
      run: (target, command, options) => life.command(() => ssh.run(target, command, options)),
    },
    around: (work) => life.command(work),
    writes: () => life.writes,
    commands: () => life.commands,
    isDead: () => life.isDead,
  }
}

class Life {
  writes = 0
  commands = 0
  isDead = false
  readonly #moment: Moment | undefined

  constructor(moment: Moment | undefined) {
    this.#moment = moment
  }

  query(isWrite: boolean): void {
    if (isWrite) this.writes += 1
    this.#dieWhen(isWrite && this.#is('beforeWrite', this.writes))
  }

  async command<T>(run: () => Promise<T>): Promise<T> {
    this.commands += 1
    // Another one may begin before this one ends.
    const count = this.commands
    this.#dieWhen(this.#is('beforeCommand', count))
    const result = await run()
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

/** Every moment at which a process with so many writes and commands can die. */
export const momentsOf = ({ writes, commands }: Mortal): readonly Moment[] => [
  ...Array.from({ length: writes() }, (_, index) => ({ beforeWrite: index + 1 })),
  ...Array.from({ length: commands() }, (_, index) => ({ beforeCommand: index + 1 })),
  ...Array.from({ length: commands() }, (_, index) => ({ afterCommand: index + 1 })),
]
