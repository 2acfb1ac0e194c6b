import { createHash } from 'node:crypto'
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { type Lookup, makeLookup, parseCatalog } from '@fleet/dns'
import type { Clock } from '@fleet/kernel'
import type { Log } from './log.ts'

// Times of files move in steps of a clock tick, so a file this young may change again without looking changed.
const SETTLED_MILLISECONDS = 100n

const nothing: Lookup = () => undefined

/**
 * The catalog on the disk (RTX-104 to RTX-106). What was read last and was whole holds until something whole replaces it,
 * also over a restart: `<path>.last` is a copy of it. `<path>.loaded` says which one holds.
 */
export class CatalogFile {
  readonly #path: string
  readonly #clock: Clock
  readonly #log: Log
  #content: Buffer | undefined
  #isUnconfirmed = false
  #seen = ''
  #lookup: Lookup = nothing

  constructor(path: string, clock: Clock, log: Log) {
    this.#path = path
    this.#clock = clock
    this.#log = log
  }

  /** Before the first question: the catalog, or the copy of the last whole one. */
  open(): void {
    this.refresh()
    if (this.#lookup !== nothing) return
    const last = readOrUndefined(`${this.#path}.last`)
    if (last && this.#take(last))
      this.#log('the catalog cannot be read; the last complete one remains in use')
  }

  /** The lookup of what is on the disk now. */
  current(): Lookup {
    this.refresh()
    return this.#lookup
  }

  /** Once per idle second: the same, and a confirmation that a full disk refused is tried again. */
  tick(): void {
    this.refresh()
    if (this.#isUnconfirmed && this.#content) this.#confirm(this.#content)
  }

  /** Looks whether the file has changed, and takes what is new and whole. Never throws. */
  refresh(): void {
    const state = this.#state()
    if (state === undefined || state === this.#seen) return
    const content = readOrUndefined(this.#path)
    if (!content) return
    this.#seen = this.#isSettled(state) ? state : ''
    if (this.#content?.equals(content)) return
    this.#content = content
    this.#isUnconfirmed = this.#take(content)
    if (this.#isUnconfirmed) this.#confirm(content)
    else this.#log('the catalog is incomplete; the previous one remains in use')
  }

  #state(): string | undefined {
    try {
      const stat = statSync(this.#path, { bigint: true, throwIfNoEntry: false })
      return stat && `${stat.ino} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs}`
    } catch {
      return undefined
    }
  }

  #isSettled(state: string): boolean {
    const changed = BigInt(state.slice(state.lastIndexOf(' ') + 1)) / 1_000_000n
    return BigInt(this.#clock.now().getTime()) - changed > SETTLED_MILLISECONDS
  }

  #take(content: Buffer): boolean {
    try {
      this.#lookup = makeLookup(parseCatalog(content.toString('utf8')))
      return true
    } catch {
      return false
    }
  }

  /** A full disk must not end the answers: without the confirmation the gateway knows. */
  #confirm(content: Buffer): void {
    try {
      replaceFile(`${this.#path}.last`, content)
      replaceFile(`${this.#path}.loaded`, createHash('sha256').update(content).digest('hex'))
      this.#isUnconfirmed = false
      this.#log('catalog loaded')
    } catch {
      // Tried again at the next tick.
    }
  }
}

const readOrUndefined = (path: string): Buffer | undefined => {
  try {
    return readFileSync(path)
  } catch {
    return undefined
  }
}

const replaceFile = (path: string, content: Buffer | string): void => {
  const temporary = `${path}.new`
  const descriptor = openSync(temporary, 'w', 0o644)
  try {
    writeFileSync(descriptor, content)
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
  renameSync(temporary, path)
}
