import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** A container as the fake Docker keeps it. */
export interface FakeContainer {
  readonly image: string
  readonly status: string
  /** Restart policy. */
  readonly restart: string
  readonly labels: Readonly<Record<string, string>>
  /** Options of its creation but those above. */
  readonly options: readonly string[]
  readonly command: readonly string[]
  /** `NAME=VALUE` lines. */
  readonly environment: readonly string[]
  /** How often it was started. */
  readonly starts: number
}

/** A Docker in a folder: `docker` of its `bin`, for scripts that run with it as their root. */
export interface FakeDocker {
  /** Arguments of every `docker`, in order. */
  calls(): readonly string[]
  names(): readonly string[]
  container(name: string): FakeContainer | undefined
  /** An image that is on the Node. */
  addImage(name: string, options?: { readonly hasVolume: boolean }): void
  /** An image that can be pulled. */
  publish(name: string): void
  /** A container of somebody else, or one with other labels. */
  addForeign(name: string, labels?: Readonly<Record<string, string>>): void
  write(
    name: string,
    property: 'status' | 'exit' | 'log' | 'restart' | 'label-fleet.process.digest',
    text: string,
  ): void
  rename(name: string, to: string): void
  remove(name: string): void
  /** Folder of the volume without a name that the container has. */
  volumeOf(name: string): string
  /** Its start fails with the message of Docker. */
  break(name: string, message: string): void
  /** The daemon does not answer. */
  silence(): void
  /** The disk has no room for another container. */
  fill(): void
  clearFaults(): void
  /** The Node has no Docker. */
  uninstall(): void
}

const DOCKER = readFileSync(new URL('docker.sh', import.meta.url), 'utf8')

export function fakeDocker(home: string): FakeDocker {
  const at = (...path: readonly string[]): string => join(home, 'docker', ...path)
  const program = join(home, 'fake', 'docker')
  for (const folder of ['containers', 'images', 'registry', 'broken'])
    mkdirSync(at(folder), { recursive: true })
  writeFileSync(program, DOCKER, { mode: 0o755 })
  const read = (...path: readonly string[]): string =>
    existsSync(at(...path)) ? readFileSync(at(...path), 'utf8') : ''
  const lines = (...path: readonly string[]): readonly string[] =>
    read(...path)
      .split('\n')
      .slice(0, -1)
  const names = (): readonly string[] => readdirSync(at('containers')).toSorted()
  const labelsOf = (name: string): FakeContainer['labels'] =>
    Object.fromEntries(
      readdirSync(at('containers', name))
        .filter((file) => file.startsWith('label-'))
        .map((file) => [file.slice('label-'.length), read('containers', name, file)]),
    )
  return {
    calls: () => lines('calls'),
    names,
    container: (name) => {
      const of = (property: string): string => read('containers', name, property)
      if (!existsSync(at('containers', name))) return undefined
      return {
        image: of('image'),
        status: of('status'),
        restart: of('restart'),
        labels: labelsOf(name),
        options: lines('containers', name, 'options'),
        command: lines('containers', name, 'command'),
        environment: lines('containers', name, 'environment').filter((line) => line !== ''),
        starts: Number(of('starts')),
      }
    },
    addImage: (name, { hasVolume } = { hasVolume: false }) =>
      writeFileSync(at('images', name), hasVolume ? 'VOLUME' : ''),
    publish: (name) => writeFileSync(at('registry', name), ''),
    addForeign: (name, labels = {}) => {
      mkdirSync(at('containers', name))
      writeFileSync(at('containers', name, 'status'), 'running')
      for (const [label, value] of Object.entries(labels))
        writeFileSync(at('containers', name, `label-${label}`), value)
    },
    write: (name, property, text) => writeFileSync(at('containers', name, property), text),
    rename: (name, to) => renameSync(at('containers', name), at('containers', to)),
    remove: (name) => rmSync(at('containers', name), { recursive: true }),
    volumeOf: (name) => read('containers', name, 'volume'),
    break: (name, message) => writeFileSync(at('broken', name), message),
    silence: () => writeFileSync(at('silent'), ''),
    fill: () => writeFileSync(at('full'), ''),
    clearFaults: () => {
      for (const name of readdirSync(at('broken'))) rmSync(at('broken', name))
      for (const fault of ['silent', 'full']) rmSync(at(fault), { force: true })
    },
    uninstall: () => rmSync(program),
  }
}
