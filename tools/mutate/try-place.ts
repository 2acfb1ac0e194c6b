import { join } from 'node:path'
import { runChunk, type RunOptions } from '../suite/process.ts'
import type { Limits } from '../suite/chunks.ts'
import type { Outcome } from '../suite/outcome.ts'
import { HOOK, MUTANT, type Mutant } from './mutant.ts'
import type { Place } from './places.ts'

/** How one broken place ended. */
export type Verdict =
  | { readonly state: 'noticed'; readonly by: string }
  /** Every test that reaches it passed. */
  | { readonly state: 'survived'; readonly files: number }
  /** A test fails without the break too, so nothing can be said. */
  | { readonly state: 'unclear'; readonly by: string }

/** A loop that a break made endless ends here. */
const LIMITS: Limits = { test: 60, silence: 75, leave: 5 }

/** Tries places one after the other; tests that fail on the unbroken source are found once. */
export class Trial {
  readonly options: RunOptions
  /** Test file → whether it passes on the unbroken source. */
  readonly #sound = new Map<string, Promise<boolean>>()

  constructor(options: RunOptions) {
    this.options = options
  }

  /** Runs the files with the place broken; undefined where all of them pass, or where there is none. */
  async place(place: Place, files: readonly string[]): Promise<Verdict | undefined> {
    if (files.length === 0) return undefined
    const { path, start, end, replacement } = place
    const mutant: Mutant = { file: join(this.options.root, path), start, end, replacement }
    const { failures } = await this.#run(files, { [MUTANT]: JSON.stringify(mutant) })
    const [first] = failures
    if (!first) return undefined
    return (await this.#areSound(files))
      ? { state: 'noticed', by: first.name }
      : { state: 'unclear', by: first.name }
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
