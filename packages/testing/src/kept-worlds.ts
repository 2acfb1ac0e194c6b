import { after } from 'node:test'

/** Worlds that the tests of a file open: one of a step list is closed with its run, what is left after the last test. */
export class KeptWorlds<W extends AsyncDisposable> {
  readonly #open = new Set<W>()

  constructor() {
    after(async () => {
      for (const world of this.#open) await world[Symbol.asyncDispose]()
    })
  }

  keep(world: W): W {
    this.#open.add(world)
    return world
  }

  async close(world: W): Promise<void> {
    if (this.#open.delete(world)) await world[Symbol.asyncDispose]()
  }
}
