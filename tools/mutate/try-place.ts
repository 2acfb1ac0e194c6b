import { join } from 'node:path'
import { runChunk, type RunOptions } from '../suite/process.ts'
import type { Limits } from '../suite/chunks.ts'
import type { Failure, Outcome } from '../suite/outcome.ts'
import { HOOK, MUTANT, type Mutant } from './mutant.ts'
import type { Place } from './places.ts'
import { isSlow } from './reach.ts'

/** How one broken place ended. */
export type Verdict =
  | { readonly state: 'noticed'; readonly by: string }
  /** Every test that reaches it passed. */
  | { readonly state: 'survived'; readonly files: number }
  /** A test fails without the break too, so nothing can be said. */
  | { readonly state: 'unclear'; readonly by: string }

/** A loop that a break made endless ends here. */
const LIMITS: Limits = { test: 60, silence: 75, leave: 5 }

/** Tries places one after the other; test files that fail on the unbroken source are found once. */
export class Trial {
  readonly options: RunOptions
  /** Test files → whether they pass on the unbroken source. */
  readonly #sound = new Map<string, Promise<boolean>>()

  constructor(options: RunOptions) {
    this.options = options
  }

  /**
   * Runs the files with the place broken; undefined where all of them pass, or where there is none. Those that run for
   * seconds have their turn after the others: most breaks are noticed without them.
   */
  async place(place: Place, files: readonly string[]): Promise<Verdict | undefined> {
    const { path, start, end, replacement } = place
    const mutant: Mutant = { file: join(this.options.root, path), start, end, replacement }
    for (const turn of [files.filter((file) => !isSlow(file)), files.filter(isSlow)]) {
      if (turn.length === 0) continue
      const { failures } = await this.#run(turn, { [MUTANT]: JSON.stringify(mutant) })
      const [first] = failures
      if (!first) continue
      const state = (await this.#areSound(suspects(first, turn))) ? 'noticed' : 'unclear'
      return { state, by: first.name }
    }
    return undefined
  }

  #areSound(files: readonly string[]): Promise<boolean> {
    const key = files.join('\n')
    const known = this.#sound.get(key) ?? this.#run(files, {}).then(({ failures }) => failures.length === 0)
    this.#sound.set(key, known)
    return known
  }

  #run(files: readonly string[], mutant: Readonly<Record<string, string>>): Promise<Outcome> {
    const { env } = this.options
    const flags = [env['NODE_OPTIONS'], `--import=${HOOK}`].filter((flag) => flag !== undefined)
    return runChunk(
      { name: 'mutant', files, env: { NODE_OPTIONS: flags.join(' '), ...mutant }, limits: LIMITS },
      { ...this.options, endsAtFailure: true },
    )
  }
}

/** The file of the failed test, as far as it is known: the others have nothing to do with it. */
function suspects({ place }: Failure, files: readonly string[]): readonly string[] {
  const own = files.filter((file) => place.startsWith(`${file}:`))
  return own.length > 0 ? own : files
}
