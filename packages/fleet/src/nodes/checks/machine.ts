import { FIELD_WRITERS, fields, MalformedOutput, textField } from '@fleet/shell'
import type { Question } from '#/nodes/checks/types.ts'

/** What a machine says of itself to Doctor. */
export interface MachineView {
  readonly system: string
  readonly architecture: string
  /** IPv4 addresses of the tunnel interface; none where it is not there. */
  readonly tunnelAddresses: readonly string[]
  /** Free share of the fullest file system that Fleet writes to, in whole percent, rounded down. */
  readonly freePercent: number
}

// `df` counts what is kept for root as used, as everybody else on the machine does.
const SOURCE = `${FIELD_WRITERS}
field system "$(uname -s)"
field architecture "$(uname -m)"
field tunnel "$(ip -o -4 addr show dev fleet 2>/dev/null | awk '{ sub("/.*", "", $4); print $4 }')"
field free "$(timeout 5 df -P -k / /home /opt /srv /tmp /var 2>/dev/null | awk '
  NR > 1 && $3 + $4 > 0 { free = int(100 * $4 / ($3 + $4)); if (least == "" || free < least) least = free }
  END { print least }')"
`

/** One answer for all checks of the machine itself. */
export const machineQuestion: Question<MachineView> = {
  source: SOURCE,
  read({ exitCode, text }) {
    if (exitCode !== 0) return undefined
    try {
      return viewOf(Buffer.from(`${text}\n`))
    } catch (error) {
      if (error instanceof MalformedOutput) return undefined
      throw error
    }
  },
}

function viewOf(stdout: Buffer): MachineView | undefined {
  const answer = fields(stdout)
  const [system, architecture] = [textField(answer, 'system'), textField(answer, 'architecture')]
  const free = textField(answer, 'free')
  if (!/^[\w.-]{1,64}$/.test(system) || !/^[\w.-]{1,64}$/.test(architecture)) return undefined
  if (!/^\d{1,3}$/.test(free)) return undefined
  const tunnelAddresses = textField(answer, 'tunnel')
    .split('\n')
    .filter((line) => IPV4.test(line))
  return { system, architecture, tunnelAddresses, freePercent: Number(free) }
}

const IPV4 = /^\d{1,3}(?:\.\d{1,3}){3}$/
