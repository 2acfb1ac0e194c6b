import { ROOT_FILES, textFile } from '@fleet/shell'
import { type ExecutableState, executableStateOf } from '#/managed-services/executable/state.ts'
import type { NodeScript } from '#/nodes/api.ts'

/** Where the one executable is on a Node, and the command that people type. */
export interface ExecutablePlace {
  readonly directory: string
  readonly link: string
}

export const EXECUTABLE_PLACE: ExecutablePlace = { directory: '/opt/fleet/bin', link: '/usr/local/bin/fleet' }
/** What units run. */
export const EXECUTABLE_FILE = `${EXECUTABLE_PLACE.directory}/fleet`

/** Below another root folder, such as that of a test. */
export const executablePlaceIn = (root: string): ExecutablePlace => ({
  directory: `${root}${EXECUTABLE_PLACE.directory}`,
  link: `${root}${EXECUTABLE_PLACE.link}`,
})

/** Shell functions over `$directory` and `$link`: `executable_state` and what changes it. */
export const EXECUTABLE_FUNCTIONS: string = textFile('executable.sh', import.meta.url)

const sourceOf = (title: string, program: string): string =>
  [`# ${title}`, ROOT_FILES, EXECUTABLE_FUNCTIONS, program].join('\n')

const AGREED = {
  reasons: {
    configuration_failed: 'cli.configuration_failed',
    disk_full: 'cli.disk_full',
    checksum_mismatch: 'cli.checksum_mismatch',
    candidate_invalid: 'cli.candidate_invalid',
  },
  broken: 'cli.configuration_failed',
  read: executableStateOf,
} as const

export const inspectExecutable: NodeScript<ExecutablePlace, ExecutableState> = {
  ...AGREED,
  source: sourceOf('look at the executable', textFile('inspect.sh', import.meta.url)),
  args: ({ directory, link }) => [directory, link],
}

/** Bytes that the executable's disk keeps free: a full disk stops more than an upgrade. */
const SPARE_BYTES = 16 * 1024 * 1024

export interface ExecutableUpload {
  readonly place: ExecutablePlace
  readonly sha256: string
  /** gzip of the executable. */
  readonly gzip: Buffer
}

/** Puts the executable in place, complete and tried, or leaves the previous one. */
export const placeExecutable: NodeScript<ExecutableUpload, ExecutableState> = {
  ...AGREED,
  source: sourceOf('put the executable in place', textFile('place.sh', import.meta.url)),
  // RFC 1952, 2.3.1: the last four bytes are the size of what was packed.
  args: ({ place, sha256, gzip }) => [
    place.directory,
    place.link,
    sha256,
    gzip.readUInt32LE(gzip.length - 4) + SPARE_BYTES,
  ],
  payload: ({ gzip }) => gzip,
}

export interface ExecutableLink {
  readonly place: ExecutablePlace
  readonly found: ExecutableState
  readonly onForeign: OnForeignCommand
}

/** What becomes of a foreign program that has the name of the command: `replace` keeps it beside it, as `fleet.foreign`. */
export type OnForeignCommand = 'leave' | 'replace'

/** Puts the command where nothing has its name, and seals the executable unless it was written since it was inspected. */
export const linkExecutable: NodeScript<ExecutableLink, ExecutableState> = {
  ...AGREED,
  source: sourceOf('link and seal the executable', textFile('link.sh', import.meta.url)),
  args: ({ place, found, onForeign }) => [
    place.directory,
    place.link,
    found.sha256 ?? '',
    found.unsealed,
    onForeign,
  ],
}
