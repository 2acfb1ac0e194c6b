import { fail } from '@fleet/contract'
import { fields, MalformedOutput, textField } from '@fleet/shell'
import type { CommandResult } from '@fleet/ssh'
import type { NodeRecord } from '#/nodes/api.ts'
import { placeReasons } from '#/nodes/executable/scripts.ts'
import { identityOf } from '#/nodes/present.ts'

const commandStates = ['own', 'missing', 'foreign'] as const

export interface ExecutableState {
  /** The machine's own word, such as `x86_64`. */
  readonly architecture: string
  /** SHA-256 in hex of a well-owned executable; undefined when there is none. */
  readonly sha256: string | undefined
  /** The digest was kept with the file, so asking for it costs nothing. */
  readonly sealed: boolean
  /** What to keep it with where it is not; empty where that cannot be said. */
  readonly unsealed: string
  /** Who stands behind the command that people type. */
  readonly command: (typeof commandStates)[number]
}

/** From fields that `executable_state` wrote. Throws MalformedOutput. */
export function executableStateOf(answer: ReadonlyMap<string, Buffer>): ExecutableState {
  const architecture = textField(answer, 'architecture')
  const sha256 = textField(answer, 'executable')
  const said = textField(answer, 'command')
  const command = commandStates.find((state) => state === said)
  if (!command || !/^[\w.-]{1,32}$/.test(architecture) || !/^([0-9a-f]{64})?$/.test(sha256))
    throw new MalformedOutput('not the state of an executable')
  const sealed = textField(answer, 'sealed') === 'yes'
  const unsealed = textField(answer, 'unsealed')
  return { architecture, sha256: sha256 === '' ? undefined : sha256, sealed, unsealed, command }
}

/** Throws the `cli.*` code of a refusal, and `cli.configuration_failed` when the script broke. */
export function readExecutableAnswer(node: NodeRecord, result: CommandResult): ExecutableState {
  const details = { node: identityOf(node) }
  try {
    if (result.exitCode !== 0) throw new MalformedOutput('the script broke')
    const answer = fields(result.stdout)
    const refused = answer.get('refused')?.toString('utf8')
    if (refused === undefined) return executableStateOf(answer)
    const reason = placeReasons.find((known) => known === refused)
    if (!reason) throw new MalformedOutput('not a reason of this script')
    throw fail(`cli.${reason}`, { details })
  } catch (error) {
    if (!(error instanceof MalformedOutput)) throw error
    throw fail('cli.configuration_failed', { details, cause: error })
  }
}
