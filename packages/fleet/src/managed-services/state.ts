import type { Answer } from '@fleet/shell'
import type { ServicePlaces } from '#/managed-services/declaration.ts'
import { fileKey, linkKey, plannedFiles, unitKey } from '#/managed-services/plan.ts'

/** A service as it is on a Node. */
export interface ServiceState {
  /** Every folder is as declared. */
  readonly hasFolders: boolean
  /** SHA-256 in hex by path; undefined where the file is missing, or mode or owner differ. Unit files too. */
  readonly digests: ReadonlyMap<string, string | undefined>
  /** Targets by path. */
  readonly links: ReadonlyMap<string, string>
  /** By name. */
  readonly units: ReadonlyMap<string, UnitState>
  /** Ids of complete releases. */
  readonly releases: ReadonlySet<string>
  /** Digest with which the live process began; undefined when none is ready. */
  readonly running: string | undefined
}

export interface UnitState {
  /** It has a file of the machine's own, whatever it says. */
  readonly hasFile: boolean
  readonly isEnabled: boolean
  readonly isActive: boolean
}

/** From the fields of `state.sh`. Throws MalformedOutput. */
export function serviceStateOf(service: ServicePlaces, answer: Answer): ServiceState {
  const files = plannedFiles(service)
  const { links = [], units } = service
  return {
    hasFolders: answer.flag('folders'),
    digests: new Map(files.map(({ path }, at) => [path, digestOf(answer.text(fileKey(at)))])),
    links: new Map(links.map(({ path }, at) => [path, answer.text(linkKey(at))])),
    units: new Map(
      units.map(({ name }, at) => [
        name,
        {
          hasFile: answer.flag(`${unitKey(at)}.file`),
          isEnabled: answer.text(`${unitKey(at)}.enabled`) === 'enabled',
          isActive: answer.text(`${unitKey(at)}.active`) === 'active',
        },
      ]),
    ),
    releases: new Set(answer.names().flatMap((name) => /^release\.(.+)$/.exec(name)?.[1] ?? [])),
    running: answer.has('running') ? digestOf(answer.text('running')) : undefined,
  }
}

/** A report that somebody tampered with may hold anything, which is as good as nothing. */
const digestOf = (text: string): string | undefined => (/^[0-9a-f]{64}$/.test(text) ? text : undefined)
