import { type Command, FIELD_WRITERS, fields, programOf, script, textField, textFile } from '@fleet/shell'

/** What a machine says of itself to whoever logs in. */
export interface Observed {
  /** `uname -s`, such as `Linux`. */
  readonly system: string
  /** `uname -m`, such as `x86_64`; empty when the machine does not tell. */
  readonly architecture: string
  readonly user: string
  readonly home: string
  /** Whether it may become root without a prompt. */
  readonly isRoot: boolean
  /** Port of the sshd that was reached; undefined when the session does not tell. */
  readonly sshPort: number | undefined
}

/** Asks as the user that logged in; changes nothing. */
export const observe = (): Command => script(SOURCE)

/** Throws MalformedOutput. */
export function readObserved(stdout: Buffer): Observed {
  const answer = fields(stdout)
  const port = Number(textField(answer, 'port'))
  return {
    system: textField(answer, 'system'),
    architecture: textField(answer, 'architecture'),
    user: textField(answer, 'user'),
    home: textField(answer, 'home'),
    isRoot: textField(answer, 'root') === 'yes',
    sshPort: Number.isInteger(port) && port > 0 && port < 65_536 ? port : undefined,
  }
}

const SOURCE = programOf(textFile('observe.sh', import.meta.url), FIELD_WRITERS)
