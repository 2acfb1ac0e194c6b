import { type Answer, FIELD_WRITERS, programOf, textFile } from '@fleet/shell'
import { readPrinted } from '#/nodes/checks/read-printed.ts'
import type { NodeRecord } from '#/nodes/record.ts'
import type { Question } from '#/nodes/checks/types.ts'

/** What a machine says of itself to Doctor. */
export interface MachineView {
  readonly system: string
  readonly architecture: string
  /** IPv4 addresses of the tunnel interface; none where it is not there. */
  readonly tunnelAddresses: readonly string[]
  /** Free share of the fullest file system that Fleet writes to, in whole percent, rounded down. */
  readonly freePercent: number
  /** The same of inodes; undefined where no file system has a fixed number of them. */
  readonly freeInodePercent: number | undefined
}

/** One answer for all checks of the machine itself. */
export const machineQuestionOf = ({ user_home }: Pick<NodeRecord, 'user_home'>): Question<MachineView> => ({
  source: SOURCE,
  args: [user_home],
  read: (printed) => readPrinted(printed, viewOf),
})

const SOURCE = programOf(textFile('machine.sh', import.meta.url), FIELD_WRITERS)

function viewOf(answer: Answer): MachineView | undefined {
  const [system, architecture] = [answer.text('system'), answer.text('architecture')]
  const [free, inodes] = [answer.text('free'), answer.text('inodes')]
  if (!/^[\w.-]{1,64}$/.test(system) || !/^[\w.-]{1,64}$/.test(architecture)) return undefined
  if (!/^\d{1,3}$/.test(free) || !/^\d{0,3}$/.test(inodes)) return undefined
  const tunnelAddresses = answer
    .text('tunnel')
    .split('\n')
    .filter((line) => IPV4.test(line))
  return {
    system,
    architecture,
    tunnelAddresses,
    freePercent: Number(free),
    freeInodePercent: inodes === '' ? undefined : Number(inodes),
  }
}

const IPV4 = /^\d{1,3}(?:\.\d{1,3}){3}$/
