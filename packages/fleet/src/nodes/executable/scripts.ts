import { programOf, ROOT_FILES, textFile } from '@fleet/shell'
import { type ExecutableState, executableStateOf } from '#/nodes/executable/answer.ts'
import type { NodeScript, Reasons } from '#/nodes/session/script.ts'

/** Where the one executable stands on a Node, and the command that people type. */
export interface ExecutablePlace {
  readonly directory: string
  readonly link: string
}

export const EXECUTABLE_PLACE: ExecutablePlace = { directory: '/opt/fleet/bin', link: '/usr/local/bin/fleet' }

/** Its file in the place. */
export const executableFile = ({ directory }: ExecutablePlace): string => `${directory}/fleet`

/** Bytes that the executable's disk keeps free: a full disk stops more than an upgrade. */
const SPARE_BYTES = 16 * 1024 * 1024

/**
 * Shell functions over `$directory` and `$link`: `executable_state` answers the fields that `executableStateOf` reads, and
 * keeps a digest beside the file, so that asking again costs nothing.
 */
export const EXECUTABLE_STATE = textFile('executable-state.sh', import.meta.url)

const LINK_COMMAND = textFile('link-command.sh', import.meta.url)

const reasons: Reasons = {
  configuration_failed: 'cli.configuration_failed',
  disk_full: 'cli.disk_full',
  checksum_mismatch: 'cli.checksum_mismatch',
  candidate_invalid: 'cli.candidate_invalid',
}

const common = { reasons, broken: 'cli.configuration_failed', read: executableStateOf } as const

export const inspectExecutable: NodeScript<ExecutablePlace, ExecutableState> = {
  ...common,
  source: programOf(textFile('inspect-executable.sh', import.meta.url), ROOT_FILES, EXECUTABLE_STATE),
  args: ({ directory, link }) => [directory, link],
}

export interface ExecutableUpload extends ExecutablePlace {
  readonly sha256: string
  /** Bytes of the executable itself. */
  readonly size: number
  /** gzip of it. */
  readonly gzip: Uint8Array
}

/** Puts it in place, complete and tried, or leaves the previous one. */
export const placeExecutable: NodeScript<ExecutableUpload, ExecutableState> = {
  ...common,
  source: programOf(
    textFile('place-executable.sh', import.meta.url),
    ROOT_FILES,
    EXECUTABLE_STATE,
    LINK_COMMAND,
  ),
  args: ({ directory, link, sha256, size }) => [directory, link, sha256, size + SPARE_BYTES],
  payload: ({ gzip }) => gzip,
}

/** Puts the command where nothing stands, and seals the executable unless it was written since it was inspected. */
export const linkExecutable: NodeScript<
  ExecutablePlace & Pick<ExecutableState, 'sha256' | 'unsealed'>,
  ExecutableState
> = {
  ...common,
  source: programOf(
    textFile('link-executable.sh', import.meta.url),
    ROOT_FILES,
    EXECUTABLE_STATE,
    LINK_COMMAND,
  ),
  args: ({ directory, link, sha256 = '', unsealed }) => [directory, link, sha256, unsealed],
}
