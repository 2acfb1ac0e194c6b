import { MalformedOutput, textField } from '@fleet/shell'

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
export function executableStateOf(answer: Pick<ReadonlyMap<string, Buffer>, 'get'>): ExecutableState {
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
