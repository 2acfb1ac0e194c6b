import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { controlGroups } from './machine.ts'
import { LabFault } from './program.ts'
import { waitFor } from './wait.ts'

const SECONDS = 10

/**
 * The control group that holds every process of a host and nothing else. The kernel keeps the list of their ids, so
 * what is ended through it is exactly what was started in it, also when the program that started it has died.
 */
export class ControlGroup {
  readonly path: string

  constructor(id: string) {
    const root = controlGroups()
    if (root === undefined) throw new LabFault('control groups of version 2 are not mounted')
    this.path = join(root, id)
  }

  make(): void {
    mkdirSync(this.path, { recursive: true })
  }

  isPopulated(): boolean {
    return this.#event('populated')
  }

  isFrozen(): boolean {
    return this.#event('frozen')
  }

  async freeze(): Promise<void> {
    this.#write('cgroup.freeze', '1')
    await this.#until('freeze', () => this.isFrozen())
  }

  async thaw(): Promise<void> {
    this.#write('cgroup.freeze', '0')
    await this.#until('thaw', () => !this.isFrozen())
  }

  /** Ends every process in it at once (SIGKILL) and waits until the last has gone. */
  async kill(): Promise<void> {
    if (!existsSync(this.path)) return
    this.#write('cgroup.kill', '1')
    await this.#until('end', () => !this.isPopulated())
  }

  /** Processor seconds, user and system, of everything that has run in it. */
  cpuSeconds(): number {
    try {
      const [, microseconds] =
        /^usage_usec (\d+)$/m.exec(readFileSync(join(this.path, 'cpu.stat'), 'utf8')) ?? []
      return Number(microseconds ?? 0) / 1e6
    } catch {
      return 0
    }
  }

  /** Removes the empty group, and the one of the same name that systemd-nspawn makes beside it in a mixed set-up. */
  remove(): void {
    for (const path of groupsNamed(this.path)) removeFolders(path)
  }

  #event(name: string): boolean {
    try {
      return readFileSync(join(this.path, 'cgroup.events'), 'utf8').includes(`${name} 1\n`)
    } catch {
      return false
    }
  }

  #write(file: string, text: string): void {
    writeFileSync(join(this.path, file), text)
  }

  async #until(what: string, holds: () => boolean): Promise<void> {
    const done = await waitFor(SECONDS, () => Promise.resolve(holds() ? true : undefined))
    if (done === undefined)
      throw new LabFault(`the processes in ${this.path} did not ${what} in ${SECONDS} seconds`)
  }
}

/** Ids of hosts that have a group, by prefix; also those whose lab has lost its records. */
export function groupsOf(prefix: string): readonly string[] {
  const root = controlGroups()
  return root === undefined ? [] : readdirSync(root).filter((name) => name.startsWith(`${prefix}-`))
}

const NAMED = '/sys/fs/cgroup/systemd'

const groupsNamed = (path: string): readonly string[] =>
  [path, join(NAMED, path.slice(path.lastIndexOf('/') + 1))].filter((each) => existsSync(each))

// Only folders: the files of a control group go with it.
function removeFolders(path: string): void {
  for (const entry of readdirSync(path, { withFileTypes: true }))
    if (entry.isDirectory()) removeFolders(join(path, entry.name))
  rmdirSync(path)
}
