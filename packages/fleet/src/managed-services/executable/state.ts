import { type Answer, MalformedOutput } from '@fleet/shell'

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
  /** Whose command it is that people type. */
  readonly command: (typeof commandStates)[number]
}

/** From the fields of `executable_state`. Throws MalformedOutput. */
export function executableStateOf(answer: Pick<Answer, 'text' | 'word'>): ExecutableState {
  const architecture = answer.text('architecture')
  const sha256 = answer.text('executable')
  if (!/^[\w.-]{1,32}$/.test(architecture) || !/^([0-9a-f]{64})?$/.test(sha256))
    throw new MalformedOutput('not the state of an executable')
  return {
    architecture,
    sha256: sha256 === '' ? undefined : sha256,
    sealed: answer.text('sealed') === 'yes',
    unsealed: answer.text('unsealed'),
    command: answer.word('command', commandStates),
  }
}
