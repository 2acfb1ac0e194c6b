import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import type { BackupList } from '#/backup/contents.ts'

/** What a person has to know once a gateway was restored: of which moment its records are, and where its Nodes look for it. */
export function nextOfRestored(
  { created_at: since, node }: Pick<BackupList, 'created_at' | 'node'>,
  own: readonly string[] = ownAddresses(),
): string {
  return `Its records are of ${since}. Nodes removed, grants revoked and values stored after that are as they were before: repeat what
must not be undone. The guide "Back up and restore a gateway" lists it.
${whereNodesLook(node, own)}  fleet doctor                 checks all Nodes
`
}

function whereNodesLook({ name, public_ssh_host: host }: BackupList['node'], own: readonly string[]): string {
  if (host === null) return ''
  const known = `Its Nodes look for it at ${host}.\n`
  const [first] = own
  if (isIP(host) === 0 || own.includes(host) || first === undefined) return known
  return `${known}This machine has ${own.join(', ')}. Unless ${host} leads here, no Node finds it:
  fleet-gateway retarget ${name} ${first}    records the new address
and each Node needs it on its console, as the guide says.
`
}

const ownAddresses = (): readonly string[] =>
  Object.values(networkInterfaces())
    .flat()
    .filter((one) => one !== undefined && !one.internal && !one.address.startsWith('fe80'))
    .map((one) => one?.address ?? '')
