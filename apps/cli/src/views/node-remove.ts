import type { NodeRemovalData } from '@fleet/contract'
import { inline } from '#/print/value.ts'
import { type Row, section, type View } from './view.ts'

/** What became of a removed Node, and what stays behind. */
export const nodeRemove: View = {
  lines: (data, _also, paper) => {
    const removal = data as unknown as NodeRemovalData // The gateway answers by this declaration.
    const retained = removal.retained_on_node.map((part): Row => ['-', inline(part)])
    return [
      `${paper.colors.bold(inline(removal.name))} (${removal.id}) ${removal.removed ? 'is removed.' : 'is not removed.'}`,
      ...section('Taken away', takenRows(removal), paper),
      ...section('Stays on the machine', retained, paper),
      ...section('Degraded', textRows(removal.degradation), paper),
      ...section('To do', textRows(removal.follow_up), paper),
    ]
  },
}

const takenRows = (removal: NodeRemovalData): readonly Row[] => [
  ['tunnel peer', removal.wireguard_peer_removed ? 'yes' : 'none on the hub'],
  ['DNS names', String(removal.dns_records_removed)],
  ...(removal.roles_shed.length > 0
    ? [['roles', `${inline(removal.roles_shed)} (in the records only)`] as const]
    : []),
]

const textRows = (text: string | null): readonly Row[] => (text === null ? [] : [['-', inline(text)]])
