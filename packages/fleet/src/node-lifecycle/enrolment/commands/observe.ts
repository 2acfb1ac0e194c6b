import { programOf, START, textFile } from '@fleet/shell'
import type { NodeScript } from '#/nodes/api.ts'

/** What a machine reports to whoever logs in. */
export interface Observed {
  /** `uname -s`, such as `Linux`. */
  readonly system: string
  /** `uname -m`, such as `x86_64`; empty when it is unknown. */
  readonly architecture: string
  readonly user: string
  readonly home: string
  /** Whether it may become root without a prompt. */
  readonly isRoot: boolean
  /** Port of the sshd that was reached; undefined when it is unknown. */
  readonly sshPort: number | undefined
}

/** Asks as the user that logged in; changes nothing. */
export const observe: NodeScript<void, Observed> = {
  source: programOf(textFile('observe.sh', import.meta.url), START),
  as: 'login',
  timeoutSeconds: 30,
  reasons: {},
  broken: 'node.command_failed',
  read: (answer) => {
    const port = Number(answer.text('port'))
    return {
      system: answer.text('system'),
      architecture: answer.text('architecture'),
      user: answer.text('user'),
      home: answer.text('home'),
      isRoot: answer.flag('root'),
      sshPort: Number.isInteger(port) && port > 0 && port < 65_536 ? port : undefined,
    }
  },
}
