import { isStatus, isUnitName, MISSING, type Runtime, type Unit } from './unit.ts'

/** More than a view keeps of one Node (AGT-039). */
const UNITS_MAX = 4096

export interface BoardListener {
  /** A unit has another state than before, or had one in between. */
  readonly changed: (key: string) => void
  /** Docker came or went. */
  readonly dockerChanged: () => void
}

/** The units and containers of the machine as far as they are known. */
export class Board {
  readonly #units = new Map<string, Unit>()
  readonly #listener: BoardListener
  readonly #waiting = new Set<Runtime>(['systemd', 'docker'])
  readonly #known = Promise.withResolvers<void>()
  #docker: 'available' | 'absent' = 'absent'

  constructor(listener: BoardListener) {
    this.#listener = listener
  }

  /** Resolves when each runtime was looked at once. */
  get known(): Promise<void> {
    return this.#known.promise
  }
  get docker(): 'available' | 'absent' {
    return this.#docker
  }
  /** Sorted, so that the same machine always reads the same. */
  get units(): readonly Unit[] {
    return [...this.#units.values()].toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
  }

  /** The unit of a key; one that is gone reads as ended. */
  unit(key: string): Unit {
    const runtime = key.startsWith('docker:') ? 'docker' : 'systemd'
    const name = key.slice(runtime.length + 1)
    return this.#units.get(key) ?? { name, runtime, runtime_status: MISSING[runtime] }
  }

  set(unit: Unit): void {
    if (!isUnitName(unit.name) || !isStatus(unit.runtime_status)) return
    const key = keyOf(unit)
    if (this.#units.get(key)?.runtime_status === unit.runtime_status) return
    if (!this.#units.has(key) && this.#units.size >= UNITS_MAX) return
    this.#units.set(key, unit)
    this.#listener.changed(key)
  }

  remove(runtime: Runtime, name: string): void {
    const key = keyOf({ runtime, name })
    const known = this.#units.get(key)
    if (!known) return
    this.#units.delete(key)
    // One that was over before is as over as it was.
    if (known.runtime_status !== MISSING[runtime]) this.#listener.changed(key)
  }

  /** Something happened to it that its state does not show any more. */
  touch(runtime: Runtime, name: string): void {
    if (isUnitName(name)) this.#listener.changed(keyOf({ runtime, name }))
  }

  /** All units of a runtime, as just read. */
  replace(runtime: Runtime, units: readonly Omit<Unit, 'runtime'>[]): void {
    const names = new Set(units.map(({ name }) => name))
    for (const known of this.units)
      if (known.runtime === runtime && !names.has(known.name)) this.remove(runtime, known.name)
    for (const unit of units) this.set({ name: unit.name, runtime, runtime_status: unit.runtime_status })
    this.settle(runtime)
  }

  /** Without Docker nothing is known of containers: they are dropped, and their end is not reported. */
  setDocker(docker: 'available' | 'absent'): void {
    if (docker === 'absent')
      for (const [key, { runtime }] of this.#units) if (runtime === 'docker') this.#units.delete(key)
    if (this.#docker === docker) return
    this.#docker = docker
    this.#listener.dockerChanged()
  }

  /** The runtime was looked at, whatever came of it. */
  settle(runtime: Runtime): void {
    this.#waiting.delete(runtime)
    if (this.#waiting.size === 0) this.#known.resolve()
  }
}

const keyOf = ({ runtime, name }: { readonly runtime: Runtime; readonly name: string }): string =>
  `${runtime}:${name}`
